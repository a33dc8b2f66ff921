import { compareText } from '../kernel/compare-text.ts';
import { type Case, descend, type Parameter } from './logistic.ts';

/** What an owner answered to a question of the model. */
export type Answer = {
  domainId: string;
  informationTypeId: string;
  /** Whether the asset is of the type. */
  isTheirs: boolean;
  /** The model's log-odds of the type by its own evidence, without what answers add. */
  logOdds: number;
};

/**
 * What the newest answers say of the model's questions, in log-odds of 0 or less. An owner sees what it does to a
 * confidence, so the answers of one domain say nothing of another.
 */
export type AnswersSoFar = {
  /** Added to the types of a domain that has answered nothing. */
  unanswered: number;
  /** By domain id: added to its types. How much of what the domain is asked about is not its. */
  domains: ReadonlyMap<string, number>;
  /** By information type id: added to the type. Types without a difference to their domain are absent. */
  types: ReadonlyMap<string, number>;
};

/** Before any answer, some documents are taken to belong to no type. docs/benchmarks.md has the curve. */
const CAUTIOUS = -0.5;
const LEAST_OF_DOMAIN = -2.5;
const LEAST_OF_TYPE = -2;
/** How strongly the fit holds on to the values before any answer. */
const HOLD_DOMAIN = 4;
const HOLD_TYPE = 2;
/** Values are multiples of this, so that few answers change what assets are scored by. */
const STEP = 0.25;

/**
 * What answers add to the log-odds of the model: a logistic regression of one shift for each domain and one for each type,
 * which holds on to the values before any answer. They only lower it, since owners answer the likeliest questions first,
 * which says nothing of the others. Deterministic; the order of the answers makes no difference.
 * @param isLearned whether the weights in force were learned from labels, which then know how much lies outside
 */
export function answersSoFar(answers: readonly Answer[], isLearned: boolean): AnswersSoFar {
  const sorted = [...answers].sort(
    (a, b) =>
      compareText(a.informationTypeId, b.informationTypeId) ||
      a.logOdds - b.logOdds ||
      Number(a.isTheirs) - Number(b.isTheirs),
  );
  const unanswered = isLearned ? 0 : CAUTIOUS;
  const shiftsOf = (
    keyOf: (answer: Answer) => string,
    of: Pick<Parameter, 'preferred' | 'hold' | 'least'>,
  ): (readonly [string, Parameter])[] =>
    [...Map.groupBy(sorted.entries(), ([, answer]) => keyOf(answer))]
      .sort(([a], [b]) => compareText(a, b))
      .map(([key, members]) => [
        key,
        { ...of, value: of.preferred, most: 0, terms: members.map(([at]) => [at, 1] as const) },
      ]);
  const domains = shiftsOf(({ domainId }) => domainId, {
    preferred: unanswered,
    hold: HOLD_DOMAIN,
    least: LEAST_OF_DOMAIN,
  });
  const types = shiftsOf(({ informationTypeId }) => informationTypeId, {
    preferred: 0,
    hold: HOLD_TYPE,
    least: LEAST_OF_TYPE,
  });
  const cases = sorted.map(
    ({ isTheirs, logOdds }): Case => ({ isPositive: isTheirs, logOdds: logOdds + unanswered }),
  );
  descend(
    [...domains, ...types].map(([, each]) => each),
    cases,
  );
  const stepped = (shifts: typeof types, usual: number) =>
    new Map(
      shifts
        .map(([key, { value }]) => [key, Math.round(value / STEP) * STEP + 0] as const)
        .filter(([, value]) => value !== usual),
    );
  return { unanswered, domains: stepped(domains, unanswered), types: stepped(types, 0) };
}

/** Nobody has answered, under hand-set weights. */
export const NO_ANSWERS: AnswersSoFar = answersSoFar([], false);
