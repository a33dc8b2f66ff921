const LIKELIHOODS: readonly [least: number, words: string][] = [
  [0.95, 'almost certain'],
  [0.8, 'very likely'],
  [0.6, 'likely'],
  [0.4, 'possible'],
];

/** The model's confidence in words. */
export const likelihood = (confidence: number): string =>
  LIKELIHOODS.find(([least]) => confidence >= least)?.[1] ?? 'unlikely';

/** The size of a contribution in words. `value` is what it adds to the log-odds. */
export function strength(value: number): string {
  const size = Math.abs(value);
  const much = size >= 2 ? 'strongly' : size >= 0.75 ? 'clearly' : 'slightly';
  return `speaks ${much} ${value < 0 ? 'against' : 'for'} it`;
}
