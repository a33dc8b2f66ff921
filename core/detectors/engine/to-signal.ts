import type { ConfidenceTier, DetectorHits, Signal } from '../detector.ts';

const MAX_POSITIONS = 20;

/** What is retained of the hits of a detector. */
export function toSignal({ detector, hits, columns }: DetectorHits): Signal {
  const tiers: Partial<Record<ConfidenceTier, number>> = {};
  let confidence = 0;
  for (const hit of hits) {
    tiers[hit.tier] = (tiers[hit.tier] ?? 0) + 1;
    confidence = Math.max(confidence, hit.confidence);
  }
  return {
    detectorId: detector.id,
    detectorVersion: detector.version,
    family: detector.family,
    count: hits.length,
    confidence,
    tiers,
    positions: hits.slice(0, MAX_POSITIONS).map(({ start, end }) => [start, end]),
    ...(columns !== undefined && { columns }),
  };
}
