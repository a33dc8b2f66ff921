import { isSafePattern } from './engine/safe-pattern.ts';

/** What every identifier detector declares. Detectors import the kernel, this folder, and validator libraries. */
export type ConfidenceTier = 'sample' | 'pattern' | 'context' | 'checksum' | 'checksum_and_context';

export type DetectorFamily =
  | 'payment'
  | 'bank'
  | 'crypto'
  | 'national_id'
  | 'tax_id'
  | 'health'
  | 'contact'
  | 'network'
  | 'device'
  | 'vehicle'
  | 'secret'
  | 'person'
  | 'place'
  | 'organization'
  | 'birth_date'
  | 'compensation'
  | 'custom';

/** One hit in a text, for use inside the scan only: positions leave it, the value never does. */
export type Hit = { start: number; end: number; tier: ConfidenceTier; confidence: number };

/** What is retained of all hits of one detector in one asset. Positions are bounded; there is no value. */
export type Signal = {
  detectorId: string;
  detectorVersion: number;
  family: DetectorFamily;
  count: number;
  /** Highest confidence of any hit, 0 to 1. */
  confidence: number;
  /** Hits by tier, which is why the confidence is what it is. */
  tiers: Partial<Record<ConfidenceTier, number>>;
  /** First hits, at most 20, as [start, end) offsets in the extracted text. */
  positions: [start: number, end: number][];
};

/**
 * What a text must hold before a pattern is tried there. `reach` is how far, in characters, a match together with
 * what it looks behind and ahead at may extend from the stretch that opened the gate.
 */
export type Gate =
  /** At least `least` digits, none further than six characters from the next. */
  | { readonly kind: 'digits'; readonly least: number; readonly reach: number }
  /** At least `least` capitals A to Z in a row. */
  | { readonly kind: 'capitals'; readonly least: number; readonly reach: number }
  /** An `@`. */
  | { readonly kind: 'at'; readonly reach: number }
  /** One of these strings, as written. */
  | { readonly kind: 'literals'; readonly literals: readonly string[]; readonly reach: number };

/** When a hit counts only with a context word nearby. */
export type ContextNeed = 'optional' | 'unless_checksum' | 'required';

export type Pattern = {
  /** Global; every quantifier bounded. */
  readonly regex: RegExp;
  readonly context: ContextNeed;
};

/** `sample` is a well-formed value that is known from documentation and test data; `no` drops the match. */
export type Verdict = 'checksum' | 'shape' | 'sample' | 'no';

type Declaration = {
  /** Lower-case snake case, unique, e.g. `credit_card`. */
  readonly id: string;
  /** Part of the stage-cache key: raise it when the hits for some text change. */
  readonly version: number;
  readonly family: DetectorFamily;
  /** Whose numbers they are, in ISO 3166; left out where they are given in many countries. */
  readonly countries?: readonly string[];
  /** For people: "Payment card number". */
  readonly title: string;
  /** Whole words or phrases, lower case, without accents; one within 60 characters or as the column header counts. */
  readonly context: readonly string[];
  /**
   * The share of random values of a hit's form that is found with its check digits right; of several forms, of the one that
   * lets most pass. Random are digits and letters; separators stand where a hit has them, and a word stands near only
   * where every pattern needs one. What a right checksum is worth follows from it, so every detector that judges by one
   * has it; a tenant's own have none. Held against random values by a test.
   */
  readonly randomMatch?: number;
  /** Where the form alone, or with a word for it, means more or less than by default. */
  readonly confidence?: { readonly pattern?: number; readonly context?: number };
  readonly examples: { readonly hits: readonly string[]; readonly misses: readonly string[] };
};

/** Finds by patterns, which is what nearly every identifier needs. */
export type PatternDetector = Declaration & {
  readonly gate: Gate;
  readonly patterns: readonly Pattern[];
  /** What the matched text is worth; without it every match is a `shape`. */
  readonly judge?: (match: string) => Verdict;
};

/** Finds by means of its own, such as a reading of the language. Must be linear in the length of the text. */
export type FindingDetector = Declaration & {
  /** A text that does not open it is not read; without it every text is. */
  readonly gate?: Gate;
  /**
   * Yields what it finds, ascending; offsets are UTF-16 code units of `reading.text`. `windows` are the stretches that the
   * gate opens, as start, end, start, end, …: ascending and disjoint, without a gate the whole text.
   */
  readonly find: (reading: Reading, windows: readonly number[]) => Iterable<Find>;
};

export type Detector = PatternDetector | FindingDetector;

/** `context` is `optional` where it is left out. */
export type Find = { start: number; end: number; verdict: Verdict; context?: ContextNeed };

/** One text while it is searched. */
export type Reading = {
  readonly text: string;
  /** Its UTF-16 code units. */
  readonly codes: Uint16Array;
  /** What `make` returned the first time for this key and text, so that detectors share one reading of the language. */
  readonly once: <T>(key: symbol, make: (text: string) => T) => T;
};

/** Families whose values are numbers that somebody was given: no amount, no piece of another, and one at a place. */
const NUMBERED: ReadonlySet<DetectorFamily> = new Set([
  'payment',
  'bank',
  'national_id',
  'tax_id',
  'health',
  'device',
]);

export const isNumbered = ({ family }: Pick<Detector, 'family'>): boolean => NUMBERED.has(family);

/** Declares a detector. Throws at load time when a pattern could run away or would not find every match. */
export function defineDetector<D extends PatternDetector | FindingDetector>(detector: D): D {
  for (const { regex } of 'patterns' in detector ? detector.patterns : []) {
    if (!regex.global || regex.sticky || !isSafePattern(regex)) {
      throw new Error(`detector ${detector.id}: a pattern is not global, sticky, or not bounded`);
    }
  }
  return detector;
}
