import { type Case, descend, type Parameter } from './logistic.ts';

/** What an owner answered to a question of the model. */
export type Answer = {
  informationTypeId: string;
  /** Whether the asset is of the type. */
  isTheirs: boolean;
  /** The model's log-odds of the type by its own evidence, without what answers add. */
  logOdds: number;
};

/** What the newest answers of a tenant say of the model's questions, in log-odds. */
export type AnswersSoFar = {
  /** Added to every type: how much lies outside of the taxonomy. 0 or less. */
  outside: number;
  /** By information type id: added to the type. 0 or less. */
  types: ReadonlyMap<string, number>;
};

/** Before any answer, some of a tenant's documents are taken to belong to no type. docs/benchmarks.md has the curve. */
const CAUTIOUS = -0.5;
const LEAST_OUTSIDE = -2.5;
const LEAST_OFFSET = -2;
/** How strongly the fit holds on to the values before any answer. */
const HOLD_OUTSIDE = 4;
const HOLD_OFFSET = 2;
/** Values are multiples of this, so that few answers change what assets are scored by. */
const STEP = 0.25;

/**
 * What answers add to the log-odds of the model: a logistic regression of one shift for all types and one for each, which
 * holds on to the values before any answer. They only lower it, since owners answer the likeliest questions first, which
 * says nothing of the others. Deterministic; the order of the answers makes no difference.
 * @param isLearned whether the weights in force were learned from labels, which then know how much lies outside
 */
export function answersSoFar(answers: readonly Answer[], isLearned: boolean): AnswersSoFar {
  const sorted = [...answers].sort(
    (a, b) =>
      (a.informationTypeId < b.informationTypeId ? -1 : a.informationTypeId > b.informationTypeId ? 1 : 0) ||
      a.logOdds - b.logOdds ||
      Number(a.isTheirs) - Number(b.isTheirs),
  );
  const preferred = isLearned ? 0 : CAUTIOUS;
  const outside: Parameter = {
    ...{ value: preferred, preferred, hold: HOLD_OUTSIDE, least: LEAST_OUTSIDE, most: 0 },
    terms: sorted.map((_, at) => [at, 1] as const),
  };
  const types = [...Map.groupBy(sorted.keys(), (at) => sorted[at]?.informationTypeId ?? '')].map(
    ([id, members]): [string, Parameter] => [
      id,
      {
        ...{ value: 0, preferred: 0, hold: HOLD_OFFSET, least: LEAST_OFFSET, most: 0 },
        terms: members.map((at) => [at, 1] as const),
      },
    ],
  );
  const cases = sorted.map(
    ({ isTheirs, logOdds }): Case => ({ isPositive: isTheirs, logOdds: logOdds + preferred }),
  );
  descend([outside, ...types.map(([, each]) => each)], cases);
  return {
    outside: stepped(outside.value),
    types: new Map(
      types.flatMap(([id, { value }]) => (stepped(value) === 0 ? [] : [[id, stepped(value)] as const])),
    ),
  };
}

/** A tenant that has answered nothing, under hand-set weights. */
export const NO_ANSWERS: AnswersSoFar = answersSoFar([], false);

function stepped(value: number): number {
  return Math.round(value / STEP) * STEP + 0;
}
