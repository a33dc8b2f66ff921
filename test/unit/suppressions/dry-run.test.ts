import { expect, test } from 'vitest';
import { changes } from '../../../core/suppressions/dry-run.ts';

test('changes count what is gone, added, less severe and in another band', () => {
  const before = {
    findings: new Map([
      ['a exposure', 'critical' as const],
      ['a label', 'high' as const],
      ['b label', 'low' as const],
    ]),
    candidates: new Map([
      ['a hr', 'high'],
      ['a finance', 'review'],
      ['b hr', 'high'],
    ]),
  };
  const after = {
    findings: new Map([
      ['a label', 'medium' as const],
      ['b label', 'low' as const],
      ['b location', 'low' as const],
    ]),
    candidates: new Map([
      ['a hr', 'review'],
      ['b hr', 'high'],
      ['b legal', 'review'],
    ]),
  };
  expect(changes(before, after)).toEqual({
    ...{ findingsResolved: 1, findingsLessened: 1, findingsOpened: 1 },
    ...{ candidatesWithdrawn: 1, candidatesAdded: 1, candidatesInOtherBand: 1 },
  });
});
