import { type Case, descend, type Parameter } from '../inference/logistic.ts';
import {
  HAND_SET_STARTING_POINT,
  type LearnedWeights,
  MOST_FACTOR,
  MOST_SHIFT,
  MOST_WORD_WEIGHT,
  type WeightedName,
} from '../inference/weights.ts';
import { countsOf, fewOf } from './enough-labels.ts';
import { compareExamples, type Example, evidenceOf } from './label-examples.ts';
import { factorsOf, type Ranked } from './rank-words.ts';

/** Labels of a type that an offset of the type needs. */
const LEAST_OF_TYPE = 5;

/** How strongly the fit holds on to the hand-set values. */
const HOLD_SHIFT = 4;
const HOLD_OFFSET = 5;
const HOLD_SLOPE = 10;

/**
 * Fits factors of the hand-set weights, a shift of the starting point and offsets of types to labels: a logistic
 * regression with a quadratic penalty for every distance from the hand-set values, within their bounds. Deterministic;
 * the order of the examples makes no difference. Null if there are too few examples of either kind.
 * @param ranked what `rankByWords` found of the same examples; null if words do not help
 */
export function fitWeights(unordered: readonly Example[], ranked: Ranked | null): LearnedWeights | null {
  if (fewOf(countsOf(unordered)).length > 0) return null;
  const examples = [...unordered].sort(compareExamples);
  return ranked === null ? fitAll(examples) : calibrate(examples, ranked);
}

/** Factors, shift and offsets, fitted together to the labels. */
function fitAll(examples: readonly Example[]): LearnedWeights {
  const cases = examples.map((each) => ({
    isPositive: each.isPositive,
    logOdds: evidenceOf(each) - HAND_SET_STARTING_POINT,
  }));
  const factors = factorsOf(examples);
  const shift = shiftOf(cases);
  const types = offsetsOf(examples);
  descend([...factors.map(([, each]) => each), shift, ...types.map(([, each]) => each)], cases);
  return learnedOf(examples, factors, shift, types);
}

/**
 * Fits a slope of the ranking, the shift and the offsets to the labels, so that a confidence is again a share of right
 * answers. The slope multiplies every weight of the ranking.
 */
function calibrate(examples: readonly Example[], { factors, words, scores }: Ranked): LearnedWeights {
  const evidence = examples.map(
    (each) => words.weight * (scores.get(each) ?? 0) + evidenceOf(each, factors) - each.copied,
  );
  const cases = examples.map(({ isPositive, copied }, at) => ({
    isPositive,
    logOdds: (evidence[at] ?? 0) + copied - HAND_SET_STARTING_POINT,
  }));
  const slope: Parameter = {
    value: 1,
    preferred: 1,
    hold: HOLD_SLOPE,
    least: 0,
    most: MOST_FACTOR,
    terms: evidence.map((each, at) => [at, each] as const),
  };
  const shift = shiftOf(cases);
  const types = offsetsOf(examples);
  descend([slope, shift, ...types.map(([, each]) => each)], cases);
  const sloped = factorsOf(examples).map(([name, parameter]) => {
    const value = Math.min(MOST_FACTOR, (factors.get(name) ?? 1) * slope.value);
    return [name, { ...parameter, value }] as const;
  });
  const weight = rounded(Math.min(MOST_WORD_WEIGHT, words.weight * slope.value));
  return { ...learnedOf(examples, sloped, shift, types), words: { ...words, weight } };
}

function learnedOf(
  examples: readonly Example[],
  factors: readonly (readonly [WeightedName, Parameter])[],
  shift: Parameter,
  types: readonly (readonly [id: string, offset: Parameter])[],
): LearnedWeights {
  return {
    labels: examples.length,
    factors: Object.fromEntries(
      factors.map(([name, { value, terms }]) => [name, { factor: rounded(value), support: terms.length }]),
    ) as LearnedWeights['factors'],
    shift: rounded(shift.value),
    types: Object.fromEntries(
      types.map(([id, { value, terms }]) => {
        const domainId = examples[terms[0]?.[0] ?? 0]?.domainId ?? '';
        return [id, { domainId, offset: rounded(value), support: terms.length }];
      }),
    ),
  };
}

const shiftOf = (cases: readonly Case[]): Parameter => ({
  ...offsetOf([...cases.keys()]),
  hold: HOLD_SHIFT,
});

/** An offset of each type that has enough labels. */
const offsetsOf = (examples: readonly Example[]): (readonly [id: string, Parameter])[] =>
  [...Map.groupBy(examples.keys(), (at) => examples[at]?.informationTypeId ?? '')]
    .filter(([, members]) => members.length >= LEAST_OF_TYPE)
    .map(([id, members]) => [id, offsetOf(members)]);

const offsetOf = (members: readonly number[]): Parameter => ({
  value: 0,
  preferred: 0,
  hold: HOLD_OFFSET,
  least: -MOST_SHIFT,
  most: MOST_SHIFT,
  terms: members.map((at) => [at, 1] as const),
});

/** Three decimals: what people read is what is applied, and the order of sums does not show. */
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000 + 0;
