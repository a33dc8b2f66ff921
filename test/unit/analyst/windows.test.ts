import { expect, test } from 'vitest';
import { tokensOf } from '../../../core/analyst/tokens.ts';
import { windowAt } from '../../../core/analyst/windows.ts';

/** A Wednesday in the first quarter. */
const NOW = Date.UTC(2026, 2, 18, 12);

const read = (text: string) => {
  const tokens = tokensOf(text);
  const window = windowAt(tokens, 0, NOW);
  if (window === null || window.length < tokens.length) return null;
  const day = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString().slice(0, 10));
  return [day(window.value.from), day(window.value.to)];
};

test.each([
  ['in Q1 2025', '2025-01-01', '2025-04-01'],
  ['in the first quarter of 2025', '2025-01-01', '2025-04-01'],
  ['in the fourth quarter of last year', '2025-10-01', '2026-01-01'],
  ['in the third quarter', '2025-07-01', '2025-10-01'],
  ['last quarter', '2025-10-01', '2026-01-01'],
  ['in the first quarter of the last year', '2025-01-01', '2025-04-01'],
  ['before Q3 2025', null, '2025-07-01'],
  ['between Q1 2025 and Q2 2025', '2025-01-01', '2025-07-01'],
  ['last month', '2026-02-01', '2026-03-01'],
  ['in the last month', '2026-02-18', null],
  ['over the last year', '2025-03-18', null],
  ['from 2020 on', '2020-01-01', null],
  ['from March 2025 onwards', '2025-03-01', null],
  ['from 2020', '2020-01-01', '2021-01-01'],
  ['on or after 1 March 2026', '2026-03-01', null],
  ['on or before 2025-12-31', null, '2026-01-01'],
  ['no later than 2025', null, '2026-01-01'],
  ['at most 2 years old', '2024-03-18', null],
  ['3 days ago', '2026-03-15', '2026-03-16'],
  ['since two years ago', '2024-03-18', null],
])('the window %s', (text, from, to) => {
  expect(read(text)).toEqual([from, to]);
});

test('parts of parts of parts are read in one pass, and are no window', () => {
  for (const part of ['last quarter of ', 'first half of ', 'last week of the ', 'in March or ', 'the ']) {
    const tokens = tokensOf(part.repeat(200));
    expect(tokens.length).toBeGreaterThanOrEqual(200);
    expect(windowAt(tokens, 0, NOW)?.length ?? 0).toBeLessThan(3);
  }
});

test.each([
  'in March or April',
  'in March or May',
  'in 2022 or 2024',
  'in April or March',
  'in the fifth quarter of 2025',
  'in the second half of 2025',
  'during the last quarter of 2024',
  'in the first quarter or March',
  'in the first half of March',
  'since the first half of last week',
  'in the first half of this month',
  'in the last quarter of March',
  'last week of March',
  'in the last month of the year',
  'in H1 2025',
  'in March and',
])('%s is no single window', (text) => {
  expect(read(text)).toBeNull();
});
