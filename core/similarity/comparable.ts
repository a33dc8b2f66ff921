import type { Sketches } from './sketches.ts';

/** Maximum number of files inside one asset whose hashes are stored. */
export const MAX_CONTAINED = 100;

/**
 * The data by which an asset's content is compared, besides its hash and its vector. It can be cloned by
 * `structuredClone`.
 */
export type Comparable = {
  sketches: Sketches;
  /** SHA-256 in hex of the files inside, attached or embedded; at most `MAX_CONTAINED`. */
  contains: readonly string[];
};

export type SimilarityKind = 'near_duplicate' | 'same_template';

/**
 * Minimum estimated Jaccard similarity. `near_duplicate`: 0.8 of the shingles, less half the standard error of the
 * estimate. `same_template`: 0.55 of the lines without their values. On the development documents a higher value
 * misses pairs of one template, and 0.4 finds the first pairs of different ones.
 */
export const LEAST_SIMILARITY: Readonly<Record<SimilarityKind, number>> = {
  near_duplicate: 0.795,
  same_template: 0.55,
};
