import type { Inference } from '../inference/inference.ts';
import {
  HAND_SET_STARTING_POINT,
  HAND_SET_WEIGHTS,
  LEAST_FACTOR,
  type LearnedWeights,
  MOST_FACTOR,
  MOST_SHIFT,
  WEIGHTED_NAMES,
  type WeightedName,
} from '../inference/weights.ts';

/** Labels that a fit needs, and how many of them must be positive examples, and counterexamples. */
export const LEAST_LABELS = 20;
export const LEAST_OF_EACH = 5;
/** Labels of a type that an offset of the type needs. */
const LEAST_OF_TYPE = 5;

/**
 * How strongly the fit holds on to the hand-set weights. About this many contradicting labels are needed to move a
 * weight noticeably.
 */
const HOLD_FACTOR = 30;
const HOLD_SHIFT = 4;
const HOLD_OFFSET = 5;

/** Passes over all parameters. Each lowers the loss, and the loss is convex. */
const PASSES = 150;
/** The greatest curvature of the logistic loss. */
const MOST_CURVATURE = 0.25;

/** A label with the scores of its type's evidence, -1 to 1, and the log-odds of decisions on copies. */
export type Example = {
  informationTypeId: string;
  domainId: string;
  isPositive: boolean;
  scores: ReadonlyMap<string, number>;
  copied: number;
};

/** An example out of a scored type. Its learned weights make no difference. */
export const exampleOf = (
  { informationTypeId, domainId, contributions }: Inference,
  isPositive: boolean,
): Example => ({
  informationTypeId,
  domainId,
  isPositive,
  scores: new Map(contributions.map(({ name, score }) => [name, score])),
  copied: contributions.reduce(
    (sum, { name, value }) =>
      name === 'confirmed_copies' || name === 'confirmed_near_copies' ? sum + value : sum,
    0,
  ),
});

/** A parameter: where it starts, its bounds, and what it multiplies in each example. */
type Parameter = {
  value: number;
  preferred: number;
  hold: number;
  least: number;
  most: number;
  terms: readonly (readonly [example: number, slope: number])[];
};

/**
 * Fits factors of the hand-set weights, a shift of the starting point and offsets of types to labels: a logistic
 * regression with a quadratic penalty for every distance from the hand-set values, within their bounds. Deterministic;
 * the order of the examples makes no difference. Null if there are too few examples of either kind.
 */
export function fitWeights(unordered: readonly Example[]): LearnedWeights | null {
  const positives = unordered.filter(({ isPositive }) => isPositive).length;
  if (unordered.length < LEAST_LABELS || Math.min(positives, unordered.length - positives) < LEAST_OF_EACH)
    return null;
  const examples = [...unordered].sort(compare);
  const logOdds = examples.map(
    ({ scores, copied }) =>
      copied -
      HAND_SET_STARTING_POINT +
      WEIGHTED_NAMES.reduce((sum, name) => sum + HAND_SET_WEIGHTS[name] * (scores.get(name) ?? 0), 0),
  );
  const factors = WEIGHTED_NAMES.map((name) => [name, factorOf(examples, name)] as const);
  const shift: Parameter = { ...offsetOf(examples.map((_, at) => at)), hold: HOLD_SHIFT };
  const types = [...Map.groupBy(examples.keys(), (at) => examples[at]?.informationTypeId ?? '')]
    .filter(([, members]) => members.length >= LEAST_OF_TYPE)
    .map(([id, members]) => [id, offsetOf(members)] as const);
  const parameters = [...factors.map(([, each]) => each), shift, ...types.map(([, each]) => each)];
  for (let pass = 0; pass < PASSES; pass++) {
    for (const parameter of parameters) descend(parameter, examples, logOdds);
  }
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

/** Moves a parameter to the minimum of a parabola that bounds the loss from above, and the log-odds with it. */
function descend(parameter: Parameter, examples: readonly Example[], logOdds: number[]): void {
  const { value, preferred, hold, least, most, terms } = parameter;
  let gradient = hold * (value - preferred);
  let curvature = hold;
  for (const [at, slope] of terms) {
    const probability = 1 / (1 + Math.exp(-(logOdds[at] ?? 0)));
    gradient += (probability - (examples[at]?.isPositive ? 1 : 0)) * slope;
    curvature += MOST_CURVATURE * slope * slope;
  }
  parameter.value = Math.min(most, Math.max(least, value - gradient / curvature));
  const moved = parameter.value - value;
  for (const [at, slope] of terms) logOdds[at] = (logOdds[at] ?? 0) + moved * slope;
}

const factorOf = (examples: readonly Example[], name: WeightedName): Parameter => ({
  value: 1,
  preferred: 1,
  hold: HOLD_FACTOR,
  least: LEAST_FACTOR,
  most: MOST_FACTOR,
  terms: examples.flatMap(({ scores }, at) => {
    const score = scores.get(name) ?? 0;
    return score === 0 ? [] : [[at, HAND_SET_WEIGHTS[name] * score] as const];
  }),
});

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

/** An order that depends on what the examples are alone. */
function compare(a: Example, b: Example): number {
  if (a.informationTypeId !== b.informationTypeId) return a.informationTypeId < b.informationTypeId ? -1 : 1;
  if (a.isPositive !== b.isPositive) return a.isPositive ? -1 : 1;
  for (const name of WEIGHTED_NAMES) {
    const difference = (a.scores.get(name) ?? 0) - (b.scores.get(name) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.copied - b.copied;
}
