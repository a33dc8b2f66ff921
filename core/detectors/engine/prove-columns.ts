import { type Detector, type Hit, isNumbered } from '../detector.ts';
import { isNumberOfThing } from './other-numbers.ts';
import { NEARLY_ALL, type Value, valueColumns } from './value-columns.ts';

/**
 * How many columns of other numbers of the same format occur for each column of identifiers. The same as for single
 * numbers of few digits.
 */
const RIVALS = 300;
/**
 * The least chance that a value passes. Values of a column resemble each other: if one begins like a date, all do. So
 * each counts no more than one check digit.
 */
const LEAST_CHANCE = 0.1;
const MOST = 0.9;
/** A column with less confidence changes nothing. */
const SURE = 0.8;

/**
 * The confidence that a column holds identifiers of a kind: how improbable it is that as many of its values pass the
 * check by chance.
 * @param passing distinct values that pass
 * @param values distinct values
 * @param randomMatch share of random values that pass, 0 to 1
 * @returns 0 to 0.9
 */
export function columnConfidence(passing: number, values: number, randomMatch: number): number {
  const chance = Math.max(randomMatch, LEAST_CHANCE);
  const share = passing / values;
  if (share <= chance) return 0;
  // Chernoff's bound of the binomial tail.
  const divergence =
    share * Math.log(share / chance) + (share === 1 ? 0 : (1 - share) * Math.log((1 - share) / (1 - chance)));
  return Math.min(MOST, 1 / (1 + RIVALS * Math.exp(-values * divergence)));
}

/**
 * Raises hits without a context word to the tier `checksum_column` where nearly all values of their column pass the
 * check of one detector. A column of the numbers of another thing, such as orders, is left alone.
 * @param found hits by index of the detector; changed in place
 */
export function proveColumns(
  text: string,
  codes: Uint16Array,
  detectors: readonly Detector[],
  found: readonly (Hit[] | undefined)[],
): void {
  const checked = detectors.flatMap((detector, place) => {
    const hits = found[place]?.filter(({ tier }) => tier === 'checksum') ?? [];
    return hits.length === 0 || detector.randomMatch === undefined || !isNumbered(detector)
      ? []
      : [{ randomMatch: detector.randomMatch, byStart: new Map(hits.map((hit) => [hit.start, hit])) }];
  });
  if (checked.length === 0) return;
  for (const { header, values } of valueColumns(text, codes)) {
    if (header !== null && isNumberOfThing(header, header.length)) continue;
    for (const { randomMatch, byStart } of checked) {
      const passing = values.filter(({ start, end }) => byStart.get(start)?.end === end);
      if (passing.length < NEARLY_ALL * values.length) continue;
      const distinct = countDistinct(text, values);
      const distinctPassing = countDistinct(text, passing);
      if (distinctPassing < NEARLY_ALL * distinct) continue;
      const confidence = columnConfidence(distinctPassing, distinct, randomMatch);
      if (confidence < SURE) continue;
      for (const { start } of passing) {
        const hit = byStart.get(start);
        if (hit === undefined) continue;
        hit.tier = 'checksum_column';
        hit.confidence = Math.max(hit.confidence, confidence);
      }
    }
  }
}

const countDistinct = (text: string, values: readonly Value[]): number =>
  new Set(values.map(({ start, end }) => text.slice(start, end).replace(/[^\p{L}\p{N}]/gu, ''))).size;
