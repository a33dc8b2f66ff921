import { describe, expect, test } from 'vitest';
import { refusal } from '../../../core/findings/acknowledge.ts';
import { FINDING_TRANSITIONS } from '../../../core/findings/finding-states.ts';
import { FINDING_STATUSES, nextStatus } from '../../../core/findings/next-status.ts';
import { SEVERITIES } from '../../../core/kernel/vocabulary.ts';

/** The moves that a recompute makes, by trying every judgement on every state. */
const recomputed = new Set(
  [null, ...FINDING_STATUSES].flatMap((status) =>
    [null, ...SEVERITIES].flatMap((severity) => {
      const answers = [null, { decisionId: 'dec_1', isNew: true }, { decisionId: 'dec_2', isNew: false }];
      return answers.flatMap((answered) =>
        [null, 'dec_1'].flatMap((by) => {
          const acknowledgedDecisionId = status === 'acknowledged' ? by : null;
          const known = status && { status, severity: 'medium' as const, notes: '', acknowledgedDecisionId };
          const next = nextStatus(known, severity && { severity, notes: '', answered })?.status ?? null;
          return next === null || next === status ? [] : [`${status} ${next}`];
        }),
      );
    }),
  ),
);

test('a recompute makes the moves of the table and no others', () => {
  const rows = FINDING_TRANSITIONS.filter(
    ({ trigger }) => !['acknowledge', 'change_note', 'take_back', 'asset_deleted'].includes(trigger),
  );
  expect([...recomputed].sort()).toEqual([...new Set(rows.map(({ from, to }) => `${from} ${to}`))].sort());
});

describe('an acknowledgement', () => {
  test.each(FINDING_STATUSES)('of a finding that is %s', (status) => {
    const isTaken = status === 'open' || status === 'reopened';
    expect(refusal({ status, revision: 3 }, undefined) === null).toBe(isTaken);
    expect(refusal({ status, revision: 3 }, 3) === null).toBe(isTaken);
    expect(refusal({ status, revision: 3 }, 2)).toBe(
      'The finding has changed in the meantime. Read it again.',
    );
  });
});
