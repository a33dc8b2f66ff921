import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ASSIGNMENT_TRANSITIONS,
  type AssignmentState,
  type AssignmentTrigger,
} from '../../../core/governance/assignment-states.ts';
import { attestationAt } from '../../../core/governance/attestation.ts';

const DAY = 24 * 3_600_000;
const AT = Date.parse('2026-01-01T00:00:00Z');

/** What the database stores of an assignment of `AT`, attested `attestedAt` milliseconds later, if ever. */
const stored = (attestationDays: number | null, attestedAt: number | null = null) => ({
  attestationDays,
  attestedAt: attestedAt === null ? null : new Date(AT + attestedAt),
  dueAt: attestationDays === null ? null : new Date(AT + (attestedAt ?? 0) + attestationDays * DAY),
});
const stateAfter = (milliseconds: number, ...of: Parameters<typeof stored>) =>
  attestationAt(stored(...of), AT + milliseconds).state;

describe('an attestation', () => {
  test('is asked for 14 days before it is due, and overdue from the moment on', () => {
    expect(stateAfter(0, 180)).toBe('current');
    expect(stateAfter(166 * DAY - 1, 180)).toBe('current');
    expect(stateAfter(166 * DAY, 180)).toBe('due');
    expect(stateAfter(180 * DAY - 1, 180)).toBe('due');
    expect(stateAfter(180 * DAY, 180)).toBe('overdue');
    expect(stateAfter(10_000 * DAY, 180)).toBe('overdue');
  });

  test('a short period is asked for in its second half, not at its beginning', () => {
    expect(stateAfter(0, 1)).toBe('current');
    expect(stateAfter(DAY / 2 - 1, 1)).toBe('current');
    expect(stateAfter(DAY / 2, 1)).toBe('due');
    expect(stateAfter(DAY, 1)).toBe('overdue');
    expect(stateAfter(10 * DAY - 1, 20)).toBe('current');
    expect(stateAfter(10 * DAY, 20)).toBe('due');
  });

  test('that nobody asks for is never due', () => {
    expect(attestationAt(stored(null), AT + 1_000 * DAY)).toEqual({
      state: 'not_required',
      dueAt: null,
      attestedAt: null,
    });
  });

  test('is told with its dates', () => {
    expect(attestationAt(stored(30, 5 * DAY), AT)).toEqual({
      state: 'current',
      dueAt: '2026-02-05T00:00:00.000Z',
      attestedAt: '2026-01-06T00:00:00.000Z',
    });
  });
});

describe('over time', () => {
  const days = fc.option(fc.integer({ min: 1, max: 730 }));
  const leads = (from: AssignmentState | null, trigger: AssignmentTrigger) =>
    ASSIGNMENT_TRANSITIONS.filter((row) => row.from === from && row.trigger === trigger).map(({ to }) => to);

  test('it only gets worse until it is given', () => {
    const worse = ['not_required', 'current', 'due', 'overdue'];
    fc.assert(
      fc.property(days, fc.nat(800 * DAY), fc.nat(800 * DAY), (period, first, second) => {
        const [sooner, later] = [Math.min(first, second), Math.max(first, second)];
        expect(worse.indexOf(stateAfter(sooner, period))).toBeLessThanOrEqual(
          worse.indexOf(stateAfter(later, period)),
        );
      }),
    );
  });

  test('every change of state stands in the table', () => {
    fc.assert(
      fc.property(days, fc.array(fc.nat(400 * DAY), { maxLength: 12 }), (period, pauses) => {
        let clock = 0;
        let state = stateAfter(0, period);
        expect(leads(null, period === null ? 'assigned' : 'assigned_with_period')).toEqual([state]);
        let attestedAt: number | null = null;
        for (const pause of pauses) {
          clock += pause;
          const now = stateAfter(clock, period, attestedAt);
          // Whoever looks late finds what happened meanwhile.
          while (state !== now) {
            const [next] = leads(state, state === 'current' ? 'asked' : 'passed');
            expect(next).toBeDefined();
            state = next as typeof state;
          }
          attestedAt = clock;
          const given = stateAfter(clock, period, attestedAt);
          expect(leads(state, 'attested')).toEqual([given]);
          state = given;
        }
      }),
    );
  });
});
