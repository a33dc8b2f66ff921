import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RETRY_CLASSES, type RetryClass } from '../../../core/kernel/vocabulary.ts';
import { LONGEST_ASKED_MS, nextStep } from '../../../core/work/retry-policy.ts';

/** The specification's table: the delay after each attempt in milliseconds, or dead at once. */
const TABLE: Readonly<Record<RetryClass, ((attempt: number) => number) | 'dead'>> = {
  transient: (attempt) => 500 * 2 ** (attempt - 1),
  auth: (attempt) => 500 * 2 ** (attempt - 1),
  throttled: (attempt) => 500 * 8 * attempt,
  unsupported: 'dead',
  corrupt: 'dead',
  policy_denied: 'dead',
  permanent: 'dead',
};

const classes = fc.constantFrom(...RETRY_CLASSES);
const attempts = fc.integer({ min: 1, max: 20 });
/** What the database lets `max_attempts` be. */
const bounds = fc.integer({ min: 1, max: 20 });

describe('retry policy', () => {
  test.each([
    ['throttled', [4_000, 8_000, 12_000]],
    ['transient', [500, 1_000, 2_000]],
    ['auth', [500, 1_000, 2_000]],
  ] as const)('%s backs off as specified', (retryClass, delays) => {
    const steps = delays.map((_, index) => nextStep(retryClass, index + 1, 4, null));
    expect(steps).toEqual(delays.map((delayMs) => ({ kind: 'retry', delayMs })));
    expect(nextStep(retryClass, 4, 4, null)).toEqual({ kind: 'dead' });
  });

  test('is the table for every class and attempt, and dead once the attempts are spent', () => {
    fc.assert(
      fc.property(classes, attempts, bounds, (retryClass, attempt, maxAttempts) => {
        const delay = TABLE[retryClass];
        const expected =
          delay === 'dead' || attempt >= maxAttempts
            ? { kind: 'dead' }
            : { kind: 'retry', delayMs: delay(attempt) };
        expect(nextStep(retryClass, attempt, maxAttempts, null)).toEqual(expected);
      }),
    );
  });

  test('a source that asks for more time gets it, up to a day, and at least the backoff', () => {
    fc.assert(
      fc.property(classes, attempts, fc.double(), (retryClass, attempt, asked) => {
        const plain = nextStep(retryClass, attempt, 20, null);
        const step = nextStep(retryClass, attempt, 20, asked);
        expect(step.kind).toBe(plain.kind);
        if (step.kind === 'dead' || plain.kind === 'dead') return;
        const sensible = asked > 0 ? Math.min(asked, LONGEST_ASKED_MS) : 0;
        expect(step.delayMs).toBe(Math.max(plain.delayMs, sensible));
      }),
      {
        examples: [
          ['throttled', 1, Number.NaN],
          ['throttled', 1, Number.NEGATIVE_INFINITY],
          ['throttled', 1, Number.POSITIVE_INFINITY],
          ['throttled', 1, -1],
          ['throttled', 1, 45_000],
        ],
      },
    );
    expect(nextStep('throttled', 1, 4, 45_000)).toEqual({ kind: 'retry', delayMs: 45_000 });
    expect(nextStep('throttled', 1, 4, Number.NaN)).toEqual({ kind: 'retry', delayMs: 4_000 });
    expect(nextStep('auth', 1, 4, 10 * LONGEST_ASKED_MS)).toEqual({
      kind: 'retry',
      delayMs: LONGEST_ASKED_MS,
    });
  });
});
