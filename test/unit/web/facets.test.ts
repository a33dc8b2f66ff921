import { expect, test } from 'vitest';
import { placesInWords } from '../../../web/home/places.ts';
import { counted, offered } from '../../../web/shell/facets.ts';

test('a count of which more may exist says so', () => {
  expect(counted(12, true)).toBe('12');
  expect(counted(12, false)).toBe('12+');
});

test('a filter offers the chosen value too, if none is counted', () => {
  const values = [{ value: 'dom_1', name: 'Finance', count: 2 }];
  expect(offered(values, undefined)).toEqual(values);
  expect(offered(values, 'dom_1')).toEqual(values);
  expect(offered(values, 'dom_2')).toEqual([{ value: 'dom_2', name: null, count: 0 }, ...values]);
  expect(offered(undefined, 'dom_2')).toHaveLength(1);
});

test.each([
  [0, false, 0, 'No place that you may see is connected.'],
  [1, false, 0, 'The one place that you may see is read.'],
  [3, false, 0, 'All 3 places that you may see are read.'],
  [3, false, 1, 'Of 3 places that you may see, the others are read.'],
  [50, true, 0, 'The first 50 places are read. There are more, which are not looked at here.'],
  [50, true, 2, 'Of the first 50 places. There are more, which are not looked at here.'],
])('%i places, more: %s, not read: %i', (count, truncated, problems, words) => {
  const items = Array.from({ length: count }, () => ({}) as never);
  expect(placesInWords({ items, truncated }, problems)).toBe(words);
});
