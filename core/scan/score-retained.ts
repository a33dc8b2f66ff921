import type { Tx } from '../db/tx.ts';
import { recomputeRisk } from '../findings/recompute.ts';
import type { StageOutcome } from '../kernel/vocabulary.ts';
import { inferAsset } from './infer-asset.ts';
import { lockRetained, storeInferenceKey } from './rescore.sql.ts';
import type { TaxonomyInUse } from './taxonomy-cache.ts';

/**
 * Scores an asset again from its retained features, and assesses its risk. It reads no source. `skipped`: there are no
 * features of the present version.
 */
export async function scoreRetained(
  tx: Tx,
  assetId: string,
  taxonomy: TaxonomyInUse,
  now: number,
): Promise<StageOutcome> {
  const asset = await lockRetained(tx, assetId);
  const inferred = asset && (await inferAsset(tx, asset, taxonomy, now));
  if (asset && inferred?.outcome === 'computed') await storeInferenceKey(tx, asset.assetId, inferred.key);
  // Risk also depends on other assets and does not need the present version of the features, so it is always
  // recomputed.
  await recomputeRisk(tx, assetId, now);
  return inferred?.outcome ?? 'skipped';
}
