import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEAST_FACTOR, MOST_FACTOR, MOST_SHIFT, WEIGHTED_NAMES } from '../../../core/inference/weights.ts';
import { LEAST_OF_EACH } from '../../../core/models/enough-labels.ts';
import { fitWeights as fitTo } from '../../../core/models/fit-weights.ts';
import type { Example } from '../../../core/models/label-examples.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const fitWeights = (examples: readonly Example[]) => fitTo(examples, null);
const example = (
  isPositive: boolean,
  scores: Readonly<Record<string, number>>,
  informationTypeId = 'ift_a',
): Example => ({
  informationTypeId,
  domainId: 'dom',
  isPositive,
  scores: new Map(Object.entries(scores)),
  copied: 0,
  document: { cluster: '1', terms: '' },
  rivals: [],
});

const examples = fc.array(
  fc
    .record({
      informationTypeId: fc.constantFrom('ift_a', 'ift_b', 'ift_c'),
      isPositive: fc.boolean(),
      scores: fc.dictionary(fc.constantFrom(...WEIGHTED_NAMES), fc.double({ min: -1, max: 1, noNaN: true })),
      copied: fc.double({ min: -12, max: 12, noNaN: true }),
    })
    .map(({ isPositive, scores, informationTypeId, copied }) => ({
      ...example(isPositive, scores, informationTypeId),
      copied,
    })),
  { minLength: 3 * LEAST_OF_EACH, maxLength: 100 },
);

/** `count` positive examples with the evidence, and as many counterexamples with the other. */
const separated = (count: number, positive: Record<string, number>, negative: Record<string, number>) =>
  Array.from({ length: count }, () => [example(true, positive), example(false, negative)]).flat();

describe('a fit', () => {
  test('keeps every weight within its bounds', () => {
    fc.assert(
      fc.property(examples, (each) => {
        const learned = fitWeights(each);
        if (learned === null) return;
        for (const { factor } of Object.values(learned.factors)) {
          expect(factor).toBeGreaterThanOrEqual(LEAST_FACTOR);
          expect(factor).toBeLessThanOrEqual(MOST_FACTOR);
        }
        const shifts = [learned.shift, ...Object.values(learned.types).map(({ offset }) => offset)];
        for (const shift of shifts) expect(Math.abs(shift)).toBeLessThanOrEqual(MOST_SHIFT);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  test('reaches its bounds, and no further, however one-sided the labels are', () => {
    const useful = separated(2_000, { title_words: 0.2 }, { title_words: -0.2 });
    const misleading = separated(2_000, { title_words: -0.2 }, { title_words: 0.2 });
    expect(fitWeights(useful)?.factors.title_words.factor).toBe(MOST_FACTOR);
    expect(fitWeights(misleading)?.factors.title_words.factor).toBe(LEAST_FACTOR);
  });

  test('is the same in any order of the labels', () => {
    const shuffledTwice = examples.chain((each) =>
      fc.tuple(fc.constant(each), fc.shuffledSubarray(each, { minLength: each.length })),
    );
    fc.assert(
      fc.property(shuffledTwice, ([each, shuffled]) => {
        expect(fitWeights(shuffled)).toEqual(fitWeights(each));
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  test('needs enough labels, and enough of both kinds', () => {
    expect(fitWeights([])).toBeNull();
    expect(fitWeights(separated(LEAST_OF_EACH, {}, {}).slice(1))).toBeNull();
    expect(fitWeights(separated(LEAST_OF_EACH, {}, {}))).not.toBeNull();
    expect(fitWeights(Array.from({ length: 100 }, () => example(true, {})))).toBeNull();
  });

  test('moves a weight further with more labels', () => {
    const factor = (count: number) =>
      fitWeights(separated(count, { title_words: 0.8 }, { title_words: 0.1 }))?.factors.title_words.factor ??
      0;
    expect(factor(15)).toBeGreaterThan(1);
    expect(factor(500) - 1).toBeGreaterThan(2 * (factor(15) - 1));
  });

  test('leaves a weight without evidence as it is, and says so', () => {
    const learned = fitWeights(separated(50, { title_words: 1 }, { title_words: -1 }));
    expect(learned?.factors.detector_signals).toEqual({ factor: 1, support: 0 });
    expect(learned?.factors.title_words.support).toBe(100);
  });

  test('has an offset for types with enough labels only', () => {
    const others = Array.from({ length: 4 }, () => example(true, {}, 'ift_rare'));
    const learned = fitWeights([...separated(20, {}, {}), ...others]);
    expect(Object.keys(learned?.types ?? {})).toEqual(['ift_a']);
  });

  test('raises the offset of a type that is confirmed, and lowers that of a refused one', () => {
    const confirmed = Array.from({ length: 30 }, () => example(true, {}, 'ift_yes'));
    const refused = Array.from({ length: 30 }, () =>
      example(false, { lexical_similarity: 1, rival_domains: 1 }, 'ift_no'),
    );
    const types = fitWeights([...confirmed, ...refused])?.types;
    expect(types?.ift_yes?.offset).toBeGreaterThan(0);
    expect(types?.ift_no?.offset).toBeLessThan(0);
  });
});
