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

/** Whether the bands are in order. The database has the same rule. */
export const areInOrder = ({ reviewLowThreshold, reviewHighThreshold }: Thresholds): boolean =>
  reviewLowThreshold <= reviewHighThreshold;
