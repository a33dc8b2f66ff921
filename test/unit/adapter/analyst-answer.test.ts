import { expect, test } from 'vitest';
import { answerOf, listedRows } from '../../../core/adapter/analyst-answer.ts';
import type { Answer, Result } from '../../../core/analyst/answer-schema.ts';

const series = (domainName: string) => ({
  domainName,
  earlier: { day: '2026-05-31', count: 3 },
  later: { day: '2026-06-10', count: 5 },
  change: 2,
});
const shown = (names: readonly string[], most: number, count: number | null) => {
  const compared: Result['compared'] = { items: names.map(series), truncated: false };
  const result = {
    count,
    sizeBytes: null,
    partCount: null,
    groups: null,
    compared,
    rows: [],
    truncated: false,
  };
  const { data, ...counts } = answerOf(
    {
      interpretation: { text: '', isAiOutput: false },
      scopeNote: '',
      notes: [],
      coverage: { isWhole: true },
      result,
    } as unknown as Answer,
    most,
  );
  return { ...counts, listed: listedRows(data) };
};

test('the numbers of a comparison are those of its items', () => {
  expect(shown(['Finance'], 10, 5)).toEqual({
    total: 1,
    totalIsExact: true,
    returned: 1,
    truncated: false,
    listed: [series('Finance')],
  });
  expect(shown(['Finance', 'Legal', 'Sales'], 2, null)).toEqual({
    total: 3,
    totalIsExact: true,
    returned: 2,
    truncated: true,
    listed: [series('Finance'), series('Legal')],
  });
});
