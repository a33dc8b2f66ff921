import { type Detector, type Hit, isNumbered, type PatternDetector } from '../detector.ts';
import { standingOf } from './surroundings.ts';
import { NEARLY_ALL, type Value, type ValueColumn, valueColumns } from './value-columns.ts';

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
const SURE = 0.8;
/** Values that a pattern without a context word is tried on before it is tried on the whole column. */
const TRIED_FIRST = 100;
/** A header that names nothing: a letter or two, or a word for a column, with or without a number. */
const NAMES_NOTHING =
  /^(?:[a-z]{1,2}|columns?|cols?|fields?|values?|data|spalten?|feld(?:er)?|werte?|colonnes?|champs?|valeurs?|columnas?|campos?|valor(?:es)?)?[ _.-]?\d{0,4}$/i;

type Checked = { readonly place: number; readonly detector: Detector; readonly randomMatch: number };

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
 * Raises hits in columns whose values nearly all pass the check of one detector to the tier `checksum_column`. Where
 * the header of a column names nothing, or there is none, patterns that need a context word are tried too: their hits
 * are added.
 * @param found hits by index of the detector; changed in place
 * @returns how often a pattern was run
 */
export function proveColumns(
  text: string,
  codes: Uint16Array,
  detectors: readonly Detector[],
  found: (Hit[] | undefined)[],
): number {
  const columns = valueColumns(text, codes);
  if (columns.length === 0) return 0;
  let runs = 0;
  detectors.forEach((detector, place) => {
    const { randomMatch } = detector;
    if (randomMatch === undefined || !isNumbered(detector)) return;
    const checked: Checked = { place, detector, randomMatch };
    const byStart = new Map((found[place] ?? []).filter(isChecked).map((hit) => [hit.start, hit]));
    for (const column of columns) {
      const passing = new Map<Value, Hit | null>();
      for (const value of byStart.size === 0 ? [] : column.values) {
        const hit = byStart.get(value.start);
        if (hit?.end === value.end) passing.set(value, hit);
      }
      if (passing.size < column.values.length && namesNothing(column)) {
        runs += tryPatterns(text, column, checked, passing);
      }
      if (passing.size >= NEARLY_ALL * column.values.length) prove(text, column, checked, passing, found);
    }
  });
  return runs;
}

const isChecked = ({ tier }: Hit): boolean => tier === 'checksum' || tier === 'checksum_and_context';

const namesNothing = ({ header }: ValueColumn): boolean =>
  header === null || NAMES_NOTHING.test(header.trim());

/** Adds the values of a column that pass the check of a pattern which needs a context word. */
function tryPatterns(
  text: string,
  { values }: ValueColumn,
  { detector }: Checked,
  passing: Map<Value, Hit | null>,
): number {
  if (!('patterns' in detector) || detector.judge === undefined) return 0;
  const patterns = needingContext(detector);
  if (patterns.length === 0) return 0;
  let runs = 0;
  const passes = ({ start, end }: Value) => {
    const match = text.slice(start, end);
    return (
      patterns.some((pattern) => {
        runs += 1;
        pattern.lastIndex = start;
        return pattern.test(text) && pattern.lastIndex === end;
      }) &&
      detector.judge?.(match) === 'checksum' &&
      standingOf(text, start, end) === 'alone'
    );
  };
  let misses = 0;
  values.every((value, nth) => {
    if (!passing.has(value)) {
      if (passes(value)) passing.set(value, null);
      else misses += 1;
    }
    return (
      misses <= (1 - NEARLY_ALL) * Math.max(nth < TRIED_FIRST ? Math.min(values.length, TRIED_FIRST) : nth, 1)
    );
  });
  return runs;
}

const stickyPatterns = new WeakMap<PatternDetector, readonly RegExp[]>();

function needingContext(detector: PatternDetector): readonly RegExp[] {
  const known = stickyPatterns.get(detector);
  if (known !== undefined) return known;
  const made = detector.patterns
    .filter(({ context }) => context === 'required')
    .map(({ regex }) => new RegExp(regex.source, `${regex.flags.replace('g', '')}y`));
  stickyPatterns.set(detector, made);
  return made;
}

function prove(
  text: string,
  { values }: ValueColumn,
  { place, randomMatch }: Checked,
  passing: ReadonlyMap<Value, Hit | null>,
  found: (Hit[] | undefined)[],
): void {
  const distinct = (of: Iterable<Value>) =>
    new Set(Array.from(of, ({ start, end }) => text.slice(start, end).replace(/[^\p{L}\p{N}]/gu, ''))).size;
  const all = distinct(values);
  const pass = distinct(passing.keys());
  if (pass < NEARLY_ALL * all) return;
  const confidence = columnConfidence(pass, all, randomMatch);
  if (confidence < SURE) return;
  const hits = found[place] ?? [];
  found[place] = hits;
  for (const [{ start, end }, hit] of passing) {
    if (hit === null) hits.push({ start, end, tier: 'checksum_column', confidence });
    else if (hit.tier === 'checksum') {
      hit.tier = 'checksum_column';
      hit.confidence = Math.max(hit.confidence, confidence);
    }
  }
}
