import type { LearnedWords } from './learned-words.ts';

/**
 * Log-odds of a full score, set by hand. The weights of the similarities, `rival_domains` and the starting point are
 * rounded results of logistic regressions; see docs/inference.md. The others are calibrated on the development tenant.
 */
export const HAND_SET_WEIGHTS = {
  detector_signals: 2.5,
  indicator_keywords: 1.5,
  lexical_similarity: 5,
  title_words: 1.75,
  embedding_similarity: 2,
  rival_domains: 2.8,
  name_and_path: 1.6,
  location_expectation: 0.8,
} as const;

/** A contribution whose weight can be learned. */
export type WeightedName = keyof typeof HAND_SET_WEIGHTS;
export const WEIGHTED_NAMES = Object.keys(HAND_SET_WEIGHTS) as WeightedName[];

/**
 * The most that a second opinion adds or takes, in log-odds. It is not learned: answers differ between models, and there
 * are labels with one in the uncertain band alone.
 */
export const SECOND_OPINION_WEIGHT = 1;

/** The log-odds of a type without evidence are minus this. */
export const HAND_SET_STARTING_POINT = 4;

/** No learned weight is negative, so evidence for a type never counts against it. The database has the same bounds. */
export const LEAST_FACTOR = 0;
export const MOST_FACTOR = 3;
/** Bound of the starting point's shift and of a type's offset, in log-odds. */
export const MOST_SHIFT = 2;
/** Log-odds of a full score of learned words. */
export const MOST_WORD_WEIGHT = 12;

/** What was learned from labels. Each `support` is a number of labels. */
export type LearnedWeights = {
  /** Labels that it was fitted to. */
  labels: number;
  /** For each contribution, what its hand-set weight is multiplied by. `support`: labels with such evidence. */
  factors: Readonly<Record<WeightedName, { factor: number; support: number }>>;
  /** Added to the log-odds of every type. */
  shift: number;
  /** By information type id: added to the log-odds of the type. Types with few labels are absent. */
  types: Readonly<Record<string, LearnedType>>;
  /** Absent if the words of confirmed documents did not help, and in releases of versions before. */
  words?: LearnedWords;
};

export type LearnedType = { domainId: string; offset: number; support: number };

/** The weight of each contribution. Null: nothing is learned. */
export const weightsOf = (learned: LearnedWeights | null): Readonly<Record<WeightedName, number>> =>
  learned === null
    ? HAND_SET_WEIGHTS
    : (Object.fromEntries(
        WEIGHTED_NAMES.map((name) => [name, HAND_SET_WEIGHTS[name] * learned.factors[name].factor]),
      ) as Record<WeightedName, number>);
