import type { Detector, Hit } from '../detector.ts';

/**
 * How many sets of other numbers of the same format occur for each set of identifiers. The same as for single numbers
 * of few digits.
 */
const RIVALS = 300;
/**
 * The least chance that a value passes. Values of one text resemble each other: if one begins like a date, all do. So
 * each counts no more than one check digit.
 */
export const LEAST_CHANCE = 0.1;
const MOST = 0.9;
/** With less confidence nothing changes. */
const SURE = 0.8;
const LEAST_VALUES = 5;
/** Beside the column of identifiers, a table may have another one of the same format. */
const LEAST_SHARE = 0.5;

/** A match, as [start, end) of the text. */
export type Span = { readonly start: number; readonly end: number };

/**
 * The confidence that a text holds identifiers of a kind: how improbable it is that as many of its values pass the check
 * by chance.
 * @param passing distinct values that pass
 * @param values distinct values of the format
 * @param randomMatch share of random values that pass, 0 to 1
 * @returns 0 to 0.9
 */
export function confidenceInMany(passing: number, values: number, randomMatch: number): number {
  const chance = Math.max(randomMatch, LEAST_CHANCE);
  if (passing / values <= chance) return 0;
  return Math.min(MOST, 1 / (1 + RIVALS * chanceOf(passing, values, chance)));
}

/**
 * How probable it is that at least `passing` of `values` pass if each does with the probability `chance`: Chernoff's bound
 * of the binomial tail.
 */
export function chanceOf(passing: number, values: number, chance: number): number {
  const share = passing / values;
  if (!(share > chance)) return 1;
  const divergence =
    share * Math.log(share / chance) + (share === 1 ? 0 : (1 - share) * Math.log((1 - share) / (1 - chance)));
  return Math.exp(-values * divergence);
}

/**
 * Raises the hits of a detector without a context word to the tier `checksum_of_many` if too many different values of
 * its format pass its check to do so by chance: in a column, a list or a series of records.
 * @param hits changed in place
 * @param refused matches of its patterns that do not pass
 */
export function proveMany(
  text: string,
  { randomMatch }: Detector,
  hits: readonly Hit[],
  refused: readonly Span[],
): void {
  const checked = hits.filter(({ tier }) => tier === 'checksum');
  if (randomMatch === undefined || checked.length < LEAST_VALUES) return;
  const { passing, values } = countOfMany(text, checked, hits, refused);
  if (passing < Math.max(LEAST_VALUES, LEAST_SHARE * values)) return;
  const confidence = confidenceInMany(passing, values, randomMatch);
  if (confidence < SURE) return;
  for (const hit of checked) {
    hit.tier = 'checksum_of_many';
    hit.confidence = Math.max(hit.confidence, confidence);
  }
}

/** How many different values pass, and how many there are of the format. */
export function countOfMany(
  text: string,
  counted: readonly Hit[],
  hits: readonly Hit[],
  refused: readonly Span[],
): { passing: number; values: number } {
  const passing = distinctValues(text, counted).size;
  // A part of a value that passes is no value of its own.
  const others = distinctValues(text, [
    ...hits.filter(({ tier }) => tier === 'pattern' || tier === 'context'),
    ...refused.filter((span) => !overlapsOne(hits, span)),
  ]);
  return { passing, values: passing + others.size };
}

/** Whether a span overlaps one of the hits, which are ascending and disjoint. */
function overlapsOne(hits: readonly Hit[], { start, end }: Span): boolean {
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hits[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  return (hits[low]?.start ?? Number.POSITIVE_INFINITY) < end;
}

const distinctValues = (text: string, spans: readonly Span[]): ReadonlySet<string> =>
  new Set(spans.map(({ start, end }) => text.slice(start, end).replace(/[^\p{L}\p{N}]/gu, '')));
