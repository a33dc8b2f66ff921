import type { Sketches } from './sketches.ts';

/** Files inside one asset that are kept account of. */
export const MAX_CONTAINED = 100;

/** What the content of an asset is compared by, beside its hash and its vector. Survives a structured clone. */
export type Comparable = {
  sketches: Sketches;
  /** SHA-256 in hex of the files inside: attachments and embedded ones; at most `MAX_CONTAINED`. */
  contains: readonly string[];
};

export type SimilarityKind = 'near_duplicate' | 'same_template';

/**
 * Least estimated Jaccard similarity. Of shingles a near-duplicate has 0.8; the estimate is allowed half its standard
 * error below. Of lines without their values assets of one template have 0.55: over the development documents more
 * loses pairs of one template, and at 0.4 the first pairs of different ones appear. Both were chosen on development
 * material.
 */
export const LEAST_SIMILARITY: Readonly<Record<SimilarityKind, number>> = {
  near_duplicate: 0.795,
  same_template: 0.55,
};
