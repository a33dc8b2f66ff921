import type { ColumnText } from '../kernel/table-text.ts';
import type { TableReader } from './engine/columns.ts';

/** What supports a hit. docs/detectors.md explains the tiers. */
export type ConfidenceTier =
  | 'sample'
  | 'pattern'
  | 'context'
  | 'checksum'
  | 'checksum_of_many'
  | 'checksum_and_context';

export const FIND_FAMILIES = [
  'payment',
  'bank',
  'crypto',
  'national_id',
  'tax_id',
  'health',
  'contact',
  'network',
  'device',
  'vehicle',
  'secret',
  'person',
  'place',
  'organization',
  'birth_date',
  'compensation',
  'custom',
] as const;
export type DetectorFamily = (typeof FIND_FAMILIES)[number];

/** One hit in a text. Positions may leave the scan. The value never does. */
export type Hit = { start: number; end: number; tier: ConfidenceTier; confidence: number };

/** A column of a table of a database, as one piece of evidence. It contains no value. */
export type ColumnEvidence = {
  /** Its name, or its number if the name holds an identifier. */
  column: string;
  /** What says what its values are: its name, its comment, or neither. */
  saidBy: 'name' | 'comment' | null;
  /** Values with a hit, of those that were read. */
  passing: number;
  values: number;
};

/** The columns with hits, those with the most first. `truncated`: there are more. */
export type ColumnsOfSignal = { items: ColumnEvidence[]; truncated: boolean };

/** What is retained of all hits of one detector in one asset. It contains no value. */
export type Signal = {
  detectorId: string;
  detectorVersion: number;
  family: DetectorFamily;
  count: number;
  /** Highest confidence of any hit, 0 to 1. */
  confidence: number;
  /** Number of hits by tier. They explain the confidence. */
  tiers: Partial<Record<ConfidenceTier, number>>;
  /** The first hits, at most 20, as [start, end) offsets in the extracted text, in UTF-16 code units. */
  positions: [start: number, end: number][];
  /** Set if the text is that of a table of a database. */
  columns?: ColumnsOfSignal;
};

/** At or above this confidence a signal has passed a check or has a context word. Sample numbers stay below it. */
export const SURE_CONFIDENCE = 0.8;

/**
 * What a text must contain before a pattern is tried there. `reach` is how many characters a match may extend beyond
 * the stretch that opened the gate, including its look-behind and look-ahead.
 */
export type Gate =
  /** At least `least` digits, with at most six characters between two of them. */
  | { readonly kind: 'digits'; readonly least: number; readonly reach: number }
  /** At least `least` capitals A to Z in a row. */
  | { readonly kind: 'capitals'; readonly least: number; readonly reach: number }
  /** An `@`. */
  | { readonly kind: 'at'; readonly reach: number }
  /** One of these strings. Case matters. */
  | { readonly kind: 'literals'; readonly literals: readonly string[]; readonly reach: number };

/** When a hit needs a context word nearby. */
export type ContextNeed = 'optional' | 'unless_checksum' | 'required';

export type Pattern = {
  /** Must have the flag `g`, and an upper bound on every quantifier. */
  readonly regex: RegExp;
  readonly context: ContextNeed;
  /** Where the pattern is tried, if not at the gate of its detector. */
  readonly gate?: Gate;
  /** Judges what this pattern matches, instead of the judge of its detector. */
  readonly judge?: (match: string) => Verdict;
};

/** `sample` is a well-formed value that is known from documentation or test data. `no` drops the match. */
export type Verdict = 'checksum' | 'shape' | 'sample' | 'no';

type Declaration = {
  /** Lower-case snake case and unique, for example `credit_card`. */
  readonly id: string;
  /** Part of the stage-cache key. Raise it when the detector finds something else in some text. */
  readonly version: number;
  readonly family: DetectorFamily;
  /** Countries that issue these numbers (ISO 3166). Omitted if many countries do. */
  readonly countries?: readonly string[];
  /** Shown to people, for example "Payment card number". */
  readonly title: string;
  /** Whole words or phrases, in lower case without accents. They count within 60 characters or in the column header. */
  readonly context: readonly string[];
  /**
   * The share of random values of a hit's format that pass the check, 0 to 1. If there are several formats, that of
   * the one that lets most pass. The digits and letters are random. Separators are where a hit has them. A context
   * word is present only if every pattern requires one.
   * The confidence of a correct checksum follows from it, so every built-in detector with a checksum declares it.
   * Custom detectors do not. A test compares it with random values.
   */
  readonly randomMatch?: number;
  /** Overrides the default confidence of the tiers `pattern` and `context`. */
  readonly confidence?: { readonly pattern?: number; readonly context?: number };
  readonly examples: { readonly hits: readonly string[]; readonly misses: readonly string[] };
};

/** Finds by patterns. Nearly every detector does. */
export type PatternDetector = Declaration & {
  readonly gate: Gate;
  readonly patterns: readonly Pattern[];
  /** The part of a match that is the value, for patterns that may match what stands beside it too. */
  readonly alone?: (match: string) => string;
  /** Judges the value. Without it every match is a `shape`. */
  readonly judge?: (match: string) => Verdict;
};

/** Finds with its own code, for example by language rules. The time must be linear in the length of the text. */
export type FindingDetector = Declaration & {
  /** Only texts that open the gate are read. Without a gate, every text is read. */
  readonly gate?: Gate;
  /**
   * Yields finds in ascending order. Offsets are UTF-16 code units of `reading.text`.
   * @param windows the stretches where the gate is open, as start, end, start, end, …, ascending and disjoint.
   * Without a gate, the whole text.
   */
  readonly find: (reading: Reading, windows: readonly number[]) => Iterable<Find>;
};

export type Detector = PatternDetector | FindingDetector;

/** `context` defaults to `optional`. */
export type Find = { start: number; end: number; verdict: Verdict; context?: ContextNeed };

/** A text that is being searched. */
export type Reading = {
  readonly text: string;
  /** The UTF-16 code units of the text. */
  readonly codes: Uint16Array;
  readonly tables: TableReader;
  /** The columns of the table that the text is of, ascending. Null if it is of none. */
  readonly columns: readonly ColumnText[] | null;
  /** Calls `make` once for each key and text and caches the result, so that several detectors share it. */
  readonly once: <T>(key: symbol, make: (text: string) => T) => T;
  /** Notes a stretch that a bound kept the detector from reading. It would read it in a shorter text. */
  readonly unread: (start: number, end: number) => void;
  /** Notes a stretch that the detector read, and does not know whether it is what it looks for. An excerpt never shows it. */
  readonly doubtful: (start: number, end: number) => void;
};

/**
 * Families of issued numbers. Such a number is not part of an amount or of another number, and one place in a text
 * holds only one of them.
 */
const NUMBERED: ReadonlySet<DetectorFamily> = new Set([
  'payment',
  'bank',
  'national_id',
  'tax_id',
  'health',
  'device',
]);

export const isNumbered = ({ family }: Pick<Detector, 'family'>): boolean => NUMBERED.has(family);

/**
 * Declares a detector. Throws when the module loads if a pattern is not global or is sticky. A test checks that no
 * pattern may backtrack too long.
 */
export function defineDetector<D extends PatternDetector | FindingDetector>(detector: D): D {
  for (const { regex } of 'patterns' in detector ? detector.patterns : []) {
    if (!regex.global || regex.sticky) {
      throw new Error(`detector ${detector.id}: a pattern is not global or is sticky`);
    }
  }
  return detector;
}

/** All hits of one detector in one text, ascending and disjoint. They never leave the scan. */
export type DetectorHits = { detector: Detector; hits: Hit[]; columns?: ColumnsOfSignal };
