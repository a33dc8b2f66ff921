import { describe, expect, test } from 'vitest';
import { type DecisionContent, type LatestDecision, refusal, repeats } from '../../core/review/decision.ts';

const DAY_MS = 24 * 3_600_000;
const DECIDED = Date.parse('2026-03-01T12:00:00Z');
const MINE: DecisionContent = {
  decision: 'mine',
  correctedInformationTypeId: null,
  routedDomainId: null,
  note: null,
  trainingEligible: false,
};
const LATEST: LatestDecision = {
  ...MINE,
  decisionId: 'dec_1',
  principalId: 'pri_1',
  decidedAt: new Date(DECIDED),
};

describe('who may decide again, and when', () => {
  const after = (status: Parameters<typeof refusal>[0]['status'], days: number, seen?: number) =>
    refusal({ status, revision: 3 }, LATEST, seen, DECIDED + days * DAY_MS);

  test.each(['pending', 'deferred'] as const)('%s: at any time', (status) => {
    expect(after(status, 0)).toBeNull();
    expect(after(status, 3_000)).toBeNull();
    expect(refusal({ status, revision: 0 }, null, undefined, DECIDED)).toBeNull();
  });

  test.each(['confirmed', 'rejected'] as const)('%s: for 30 days', (status) => {
    expect(after(status, 0)).toBeNull();
    expect(after(status, 29.99)).toBeNull();
    expect(after(status, 30.01)).toMatch(/30 days/);
  });

  test.each(['routed', 'withdrawn'] as const)('%s: never', (status) => {
    expect(after(status, 0)).not.toBeNull();
  });

  test('a revision that is not the present one is refused, whatever the status', () => {
    for (const status of ['pending', 'deferred', 'confirmed'] as const) {
      expect(after(status, 0, 2)).toMatch(/meanwhile/);
      expect(after(status, 0, 3)).toBeNull();
    }
  });
});

describe('what is the same decision again', () => {
  test('the same in every part by the same person', () => {
    expect(repeats('confirmed', LATEST, 'pri_1', MINE)).toBe(true);
  });

  test.each<[string, Partial<DecisionContent>]>([
    ['another decision', { decision: 'mine_not_sensitive' }],
    ['a note', { note: 'Ours' }],
    ['leave to learn from it', { trainingEligible: true }],
    ['a corrected type', { correctedInformationTypeId: 'ift_1' }],
    ['a domain', { routedDomainId: 'dom_1' }],
  ])('not with %s', (_, change) => {
    expect(repeats('confirmed', LATEST, 'pri_1', { ...MINE, ...change })).toBe(false);
  });

  test('not by somebody else, not the first, and not once the question is open again', () => {
    expect(repeats('confirmed', LATEST, 'pri_2', MINE)).toBe(false);
    expect(repeats('pending', null, 'pri_1', MINE)).toBe(false);
    expect(repeats('pending', LATEST, 'pri_1', MINE)).toBe(false);
  });
});
