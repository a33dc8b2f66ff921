import { LEAST_SIMILARITY, type SimilarityKind } from './comparable.ts';
import { estimatedJaccard } from './sketch.ts';

/** The signatures by which two texts are compared. Null if a text is too short. */
export type Signatures = { shingles: Uint8Array | null; template: Uint8Array | null };

/** How two texts are similar, with the estimated Jaccard similarity, or null if they are not. */
export function likenessOf(
  a: Signatures,
  b: Signatures,
): { kind: SimilarityKind; similarity: number } | null {
  return (
    compared('near_duplicate', a.shingles, b.shingles) ?? compared('same_template', a.template, b.template)
  );
}

function compared(kind: SimilarityKind, a: Uint8Array | null, b: Uint8Array | null) {
  const similarity = a === null || b === null ? 0 : estimatedJaccard(a, b);
  return similarity < LEAST_SIMILARITY[kind]
    ? null
    : { kind, similarity: Math.round(similarity * 1_000) / 1_000 };
}
