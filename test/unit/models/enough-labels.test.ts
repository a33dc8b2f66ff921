import { expect, test } from 'vitest';
import { fewOf, LEAST_OF_EACH } from '../../../core/models/enough-labels.ts';
import { shareOf } from '../../../core/models/statistics.ts';

/** How far the interval of a share of `whole` reaches from its middle at most. */
const widest = (whole: number) =>
  Math.max(
    ...Array.from({ length: whole + 1 }, (_, part) => {
      const { low, high } = shareOf(part, whole) ?? expect.unreachable('no share');
      return (high - low) / 2;
    }),
  );

test('a share of enough labels of a kind is known to 0.23, and one of fewer is not', () => {
  expect(widest(LEAST_OF_EACH)).toBeLessThanOrEqual(0.23);
  expect(widest(LEAST_OF_EACH - 1)).toBeGreaterThan(0.23);
});

test.each([
  [30, 5, ['counterexamples']],
  [14, 15, ['positive_examples']],
  [0, 0, ['positive_examples', 'counterexamples']],
  [15, 15, []],
])('%i positive examples and %i counterexamples lack %j', (positiveExamples, counterexamples, few) => {
  expect(fewOf({ positiveExamples, counterexamples })).toEqual(few);
});
