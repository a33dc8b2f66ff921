import { z } from 'zod';
import type { Thresholds } from '../inference/inference.ts';

const fraction = z.number().min(0).max(1);

export const ThresholdsSchema = z.strictObject({
  candidateThreshold: fraction,
  reviewLowThreshold: fraction,
  reviewHighThreshold: fraction,
  nearDupConfirmedBoost: fraction,
  exactDupConfirmedBoost: fraction,
});

export const ConfigPatchSchema = ThresholdsSchema.partial();
export type ConfigPatch = z.infer<typeof ConfigPatchSchema>;

/** The thresholds with the changes of a release. What it does not name stays as it is. */
export const patched = (thresholds: Thresholds, patch: ConfigPatch): Thresholds => ({
  candidateThreshold: patch.candidateThreshold ?? thresholds.candidateThreshold,
  reviewLowThreshold: patch.reviewLowThreshold ?? thresholds.reviewLowThreshold,
  reviewHighThreshold: patch.reviewHighThreshold ?? thresholds.reviewHighThreshold,
  nearDupConfirmedBoost: patch.nearDupConfirmedBoost ?? thresholds.nearDupConfirmedBoost,
  exactDupConfirmedBoost: patch.exactDupConfirmedBoost ?? thresholds.exactDupConfirmedBoost,
});

/**
 * Pairs of thresholds of which the first must not exceed the second. Above the high threshold, a candidate threshold
 * leaves confidences that are high and not asked. The database has the rule of the bands too.
 */
const ORDERED = [
  ['reviewLowThreshold', 'reviewHighThreshold'],
  ['candidateThreshold', 'reviewHighThreshold'],
] as const;

/** What is wrong with the order of thresholds, one for each wrong pair. `of` names the pair. */
export const disorderOf = (thresholds: Thresholds): { of: (typeof ORDERED)[number]; message: string }[] =>
  ORDERED.filter(([lower, upper]) => thresholds[lower] > thresholds[upper]).map((of) => ({
    of,
    message: `${of[0]} (${thresholds[of[0]]}) must not exceed ${of[1]} (${thresholds[of[1]]}).`,
  }));
