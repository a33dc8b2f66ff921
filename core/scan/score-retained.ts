import type { Tx } from '../db/tx.ts';
import { recomputeRisks } from '../findings/recompute.ts';
import type { StageOutcome } from '../kernel/vocabulary.ts';
import { inferAssets } from './infer-asset.ts';
import { retainedFeatures, storeInferenceKeys } from './rescore.sql.ts';
import type { TaxonomyInUse } from './taxonomy-cache.ts';

/**
 * Scores assets again from their retained features, and assesses their risks. It reads no source. The caller has locked
 * the assets. Returns the outcome of each asset that has features of the present version.
 */
export async function scoreRetained(
  tx: Tx,
  assetIds: readonly string[],
  taxonomy: TaxonomyInUse,
  now: number,
): Promise<Map<string, StageOutcome>> {
  const assets = await retainedFeatures(tx, assetIds);
  const inferred = await inferAssets(tx, assets, taxonomy, now);
  const before = new Map(assets.map(({ assetId, inferenceKey }) => [assetId, inferenceKey]));
  const moved = inferred.filter(({ assetId, inferenceKey }) => before.get(assetId) !== inferenceKey);
  // Risk also depends on other assets and does not need the present version of the features, so it is always
  // recomputed.
  await Promise.all([moved.length > 0 && storeInferenceKeys(tx, moved), recomputeRisks(tx, assetIds, now)]);
  return new Map(inferred.map(({ assetId, outcome }) => [assetId, outcome]));
}
