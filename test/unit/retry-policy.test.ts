import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextStep } from '../../core/work/retry-policy.ts';

const terminal = ['unsupported', 'corrupt', 'policy_denied', 'permanent'] as const;
const retried = ['transient', 'throttled', 'auth'] as const;

describe('retry policy', () => {
  test.each(terminal)('%s is dead at its first failure', (retryClass) => {
    expect(nextStep(retryClass, 1, 4, null)).toEqual({ kind: 'dead' });
  });

  test.each([
    ['throttled', [4_000, 8_000, 12_000]],
    ['transient', [500, 1_000, 2_000]],
    ['auth', [500, 1_000, 2_000]],
  ] as const)('%s backs off as specified', (retryClass, delays) => {
    const steps = delays.map((_, index) => nextStep(retryClass, index + 1, 4, null));
    expect(steps).toEqual(delays.map((delayMs) => ({ kind: 'retry', delayMs })));
    expect(nextStep(retryClass, 4, 4, null)).toEqual({ kind: 'dead' });
  });

  test('a source that asks for more time gets it, and never less than the backoff', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...retried),
        fc.integer({ min: 1, max: 19 }),
        fc.option(fc.integer({ min: 0, max: 10_000_000 })),
        (retryClass, attempt, retryAfterMs) => {
          const step = nextStep(retryClass, attempt, 20, retryAfterMs);
          const plain = nextStep(retryClass, attempt, 20, null);
          if (step.kind !== 'retry' || plain.kind !== 'retry') return false;
          return step.delayMs >= (retryAfterMs ?? 0) && step.delayMs >= plain.delayMs;
        },
      ),
    );
  });
});
