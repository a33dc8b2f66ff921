import { isSafePattern } from './safe-pattern.ts';

/** What every identifier detector declares. Detectors import the kernel, this folder, and validator libraries. */
export type ConfidenceTier = 'pattern' | 'context' | 'checksum' | 'checksum_and_context';

export type DetectorFamily =
  | 'payment'
  | 'bank'
  | 'national_id'
  | 'tax_id'
  | 'health'
  | 'contact'
  | 'network'
  | 'vehicle'
  | 'secret'
  | 'birth_date'
  | 'compensation';

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

export type Pattern = {
  /** Global; every quantifier bounded. */
  readonly regex: RegExp;
  /** When a hit counts only with a context word nearby. */
  readonly context: 'optional' | 'unless_checksum' | 'required';
};

/** `sample` is a well-formed value that is known from documentation and test data; `no` drops the match. */
export type Verdict = 'checksum' | 'shape' | 'sample' | 'no';

export type Detector = {
  /** Lower-case snake case, unique, e.g. `credit_card`. */
  readonly id: string;
  /** Part of the stage-cache key: raise it when the hits for some text change. */
  readonly version: number;
  readonly family: DetectorFamily;
  /** For people: "Payment card number". */
  readonly title: string;
  readonly gate: Gate;
  readonly patterns: readonly Pattern[];
  /** Whole words or phrases, lower case, without accents; one within 60 characters or as the column header counts. */
  readonly context: readonly string[];
  /** What the matched text is worth; without it every match is a `shape`. */
  readonly judge?: (match: string) => Verdict;
  /** Where this detector's tiers mean more or less than the engine's defaults. */
  readonly confidence?: Partial<Record<ConfidenceTier, number>>;
  readonly examples: { readonly hits: readonly string[]; readonly misses: readonly string[] };
};

/** Declares a detector. Throws at load time when a pattern could run away or would not find every match. */
export function defineDetector(detector: Detector): Detector {
  for (const { regex } of detector.patterns) {
    if (!regex.global || regex.sticky || !isSafePattern(regex)) {
      throw new Error(`detector ${detector.id}: a pattern is not global, sticky, or not bounded`);
    }
  }
  return detector;
}
