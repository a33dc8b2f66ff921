/** What every identifier detector declares. Detectors import the kernel and this file, and validator libraries. */
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
  | 'credential';

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

export type Detector = {
  /** Lower-case snake case, unique, e.g. `credit_card`. */
  readonly id: string;
  readonly version: number;
  readonly family: DetectorFamily;
  /** For people: "Payment card number". */
  readonly title: string;
  /** Global, sticky-free, every quantifier bounded. */
  readonly patterns: readonly RegExp[];
  /** Characters without which no pattern can match; the one pass over the text that gates the patterns. */
  readonly gate: 'digits' | 'at' | 'capitals' | 'any';
  /** Whole words, lower case, that raise confidence when they stand within 60 characters. */
  readonly context: readonly string[];
  /** Reports nothing without a context word nearby. */
  readonly contextRequired?: boolean;
  /** Checksum or shape; false drops the hit. */
  readonly validate?: (match: string) => boolean;
  /** True when `validate` is a real checksum, so that passing it means more than the pattern. */
  readonly checksum?: boolean;
  readonly examples: { readonly hits: readonly string[]; readonly misses: readonly string[] };
};
