import { setImmediate } from 'node:timers/promises';
import {
  type ConfirmedDocument,
  gatherWords,
  type LearnedWords,
  wordScores,
} from '../inference/learned-words.ts';
import { descend, type Parameter } from '../inference/logistic.ts';
import { unpackTerms } from '../inference/packed.ts';
import {
  HAND_SET_WEIGHTS,
  LEAST_FACTOR,
  MOST_FACTOR,
  MOST_WORD_WEIGHT,
  WEIGHTED_NAMES,
  type WeightedName,
} from '../inference/weights.ts';
import { hash32 } from '../kernel/hash.ts';
import { compareExamples, type Example, evidenceOf, type Scores } from './label-examples.ts';

/**
 * How strongly the fit holds on to the hand-set weights. About this many contradicting labels are needed to move a
 * weight noticeably.
 */
const HOLD_FACTOR = 30;
/** How strongly the fit holds the weight of words at 0. */
const HOLD_WORDS = 1;
/** Words that score a document are of the clusters in the other folds. */
const FOLDS = 5;
/** Examples that are scored before others have their turn. */
const TURN = 100;
/** The quantile of the normal distribution for 95 %, one-sided. */
const ONE_SIDED = 1.645;

export type Ranked = {
  /** By its name, what the hand-set weight is multiplied by. */
  factors: ReadonlyMap<WeightedName, number>;
  words: LearnedWords;
  /** Of each example, the score of words that are not of its own fold. */
  scores: ReadonlyMap<Example, number>;
};
type Judged = Scores & { words: number };

/**
 * Fits the weight of learned words, and the factors with it, to what people said: that a document is of one type and not
 * of its rivals. The words that score a document are of the other folds. Null if they do not help there.
 */
export async function rankByWords(unordered: readonly Example[]): Promise<Ranked | null> {
  const examples = [...unordered].sort(compareExamples);
  const confirmed = confirmedDocuments(examples);
  const domains = new Map<string, Set<string>>();
  for (const { cluster, types } of confirmed) {
    const known = domains.get(cluster) ?? new Set();
    for (const { domainId } of types) known.add(domainId);
    domains.set(cluster, known);
  }
  const folds: LearnedWords[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    folds.push(gatherWords(confirmed.filter(({ cluster }) => foldOf(cluster) !== fold)));
    // Others have their turn: each of these steps takes up to a second.
    await setImmediate();
  }
  const judged: { example: Example; cluster: string; own: Judged; rivals: Judged[] }[] = [];
  for (const [at, example] of examples.entries()) {
    if (at % TURN === 0) await setImmediate();
    const { document, rivals } = example;
    const wordScore = wordScores(unpackTerms(document.terms), folds[foldOf(document.cluster)] ?? null);
    const judge = (each: Scores): Judged => ({
      ...each,
      words: wordScore(each.informationTypeId).score,
    });
    // A document may be of several domains. Those that people confirmed are no rivals.
    const others = rivals.filter(({ domainId }) => !domains.get(document.cluster)?.has(domainId));
    judged.push({
      example,
      cluster: document.cluster,
      own: judge(example),
      rivals: others.map(judge),
    });
  }
  const pairs = judged.flatMap(({ cluster, own, rivals }) =>
    rivals.map((rival) => ({ cluster, ...differenceOf(own, rival) })),
  );
  const rank = (withWords: boolean) => {
    const factors = factorsOf(pairs);
    const weight: Parameter = {
      value: 0,
      preferred: 0,
      hold: HOLD_WORDS,
      least: 0,
      most: MOST_WORD_WEIGHT,
      terms: pairs.map(({ words }, at) => [at, words] as const),
    };
    const cases = pairs.map((pair) => ({ isPositive: true, logOdds: evidenceOf(pair) }));
    descend([...factors.map(([, each]) => each), ...(withWords ? [weight] : [])], cases);
    return {
      factors,
      weight: weight.value,
      losses: cases.map(({ logOdds }) => Math.log1p(Math.exp(-logOdds))),
    };
  };
  await setImmediate();
  const without = rank(false);
  await setImmediate();
  const ranked = rank(true);
  const gains = new Map<string, number>();
  for (const [at, { cluster }] of pairs.entries())
    gains.set(cluster, (gains.get(cluster) ?? 0) + (without.losses[at] ?? 0) - (ranked.losses[at] ?? 0));
  if (!isGain([...gains.values()])) return null;
  return {
    factors: new Map(ranked.factors.map(([name, { value }]) => [name, value])),
    words: { ...gatherWords(confirmed), weight: ranked.weight },
    scores: new Map(judged.map(({ example, own }) => [example, own.words])),
  };
}

/** The documents of positive examples, each with all types that people confirmed of it. */
function confirmedDocuments(examples: readonly Example[]): ConfirmedDocument[] {
  const byDocument = Map.groupBy(
    examples.filter(({ isPositive }) => isPositive),
    ({ document }) => `${document.cluster} ${document.terms}`,
  );
  return [...byDocument.values()].flatMap((members) => {
    const [first] = members;
    return first === undefined ? [] : [{ ...first.document, types: members }];
  });
}

const differenceOf = (own: Judged, rival: Judged) => ({
  scores: new Map(
    WEIGHTED_NAMES.map((name) => [name, (own.scores.get(name) ?? 0) - (rival.scores.get(name) ?? 0)]),
  ),
  copied: own.copied - rival.copied,
  words: own.words - rival.words,
});

const foldOf = (cluster: string): number => hash32(cluster) % FOLDS;

/** Whether the mean is above zero by more than chance explains: a one-sided test at 5 %. */
function isGain(gains: readonly number[]): boolean {
  const mean = gains.reduce((sum, each) => sum + each, 0) / gains.length;
  const squares = gains.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return gains.length > FOLDS && mean > ONE_SIDED * Math.sqrt(squares / (gains.length - 1) / gains.length);
}

/** A factor of each hand-set weight. */
export const factorsOf = (cases: readonly Pick<Scores, 'scores'>[]): (readonly [WeightedName, Parameter])[] =>
  WEIGHTED_NAMES.map((name) => [
    name,
    {
      value: 1,
      preferred: 1,
      hold: HOLD_FACTOR,
      least: LEAST_FACTOR,
      most: MOST_FACTOR,
      terms: cases.flatMap(({ scores }, at) => {
        const score = scores.get(name) ?? 0;
        return score === 0 ? [] : [[at, HAND_SET_WEIGHTS[name] * score] as const];
      }),
    },
  ]);
