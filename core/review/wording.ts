/** From which confidence on each word is said. */
const LIKELIHOODS = [
  [0, 'unlikely'],
  [0.4, 'possible'],
  [0.6, 'likely'],
  [0.8, 'very likely'],
  [0.95, 'almost certain'],
] as const satisfies readonly [least: number, words: string][];

/** The level of a confidence: 0 to 4. Confidences of one level have the same word, unless the answers say otherwise. */
export const levelOf = (confidence: number): number =>
  Math.max(
    0,
    LIKELIHOODS.findLastIndex(([least]) => confidence >= least),
  );

/** So many answers say whether a word is right. */
const LEAST_ANSWERS = 20;
const EARNS_CERTAIN_PERCENT = 97;
const KEEPS_VERY_LIKELY_PERCENT = 80;

/** How many answers of owners there are, and how many of them said that the asset belongs to their domain. */
export type AnswerCounts = { answered: number; yours: number };

/**
 * The model's confidence in words. *Almost certain* is said only if the answers of the owners earn it. *Very likely* is
 * said until they refute it.
 * @param answered answers of the domain to questions of the model whose confidence had the same level
 */
export function likelihood(confidence: number, { answered, yours }: AnswerCounts): string {
  const level = levelOf(confidence);
  const words = LIKELIHOODS[level]?.[1] ?? 'unlikely';
  if (words !== 'almost certain' && words !== 'very likely') return words;
  if (answered < LEAST_ANSWERS) return 'very likely';
  if (words === 'almost certain' && yours * 100 >= answered * EARNS_CERTAIN_PERCENT) return words;
  return yours * 100 >= answered * KEEPS_VERY_LIKELY_PERCENT ? 'very likely' : 'likely';
}

/** The size of a contribution in words. `value` is what it adds to the log-odds. */
export function strength(value: number): string {
  const size = Math.abs(value);
  const much = size >= 2 ? 'strongly' : size >= 0.75 ? 'clearly' : 'slightly';
  return `speaks ${much} ${value < 0 ? 'against' : 'for'} it`;
}
