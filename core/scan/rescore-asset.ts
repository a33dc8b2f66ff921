import { recomputeRisk } from '../findings/recompute.ts';
import { planRescore, type RescorePayload } from '../inference/plan-rescore.ts';
import { enqueueUnits } from '../work/enqueue.sql.ts';
import { withLeasedTx } from '../work/leased-tx.ts';
import type { UnitHandler } from '../work/unit.ts';
import { inferAsset } from './infer-asset.ts';
import { lockRetained, storeInferenceKey } from './rescore.sql.ts';
import { ring } from './ring.ts';
import type { ScanParts } from './scan-parts.ts';
import type { TaxonomyLookup } from './taxonomy-cache.ts';

/** The parts that a rescore needs. It reads no source and no file. */
export type RescoreParts = Pick<ScanParts, 'config' | 'db' | 'clock' | 'log' | 'doorbell'>;

/** Scores one asset again from its retained features. The first unit of a batch also enqueues the next batch. */
export const rescoreAsset =
  (parts: RescoreParts, taxonomyInUse: TaxonomyLookup): UnitHandler =>
  async (unit, signal) => {
    const { assetId, ensembleVersion, planAfter } = unit.payload as RescorePayload;
    const { db, clock } = parts;
    if (planAfter !== undefined) {
      // Commits the next batch first, so that it is scored even if this asset fails.
      const added = await withLeasedTx(db, unit, async (tx) =>
        enqueueUnits(tx, unit.campaignId, await planRescore(tx, ensembleVersion, planAfter), clock()),
      );
      await ring(parts, added);
    }
    const taxonomy = await taxonomyInUse(unit.tenantId, signal, ensembleVersion);
    return withLeasedTx(db, unit, async (tx) => {
      const asset = await lockRetained(tx, assetId);
      const inferred = asset && (await inferAsset(tx, asset, taxonomy, clock()));
      if (inferred?.outcome === 'computed') await storeInferenceKey(tx, assetId, inferred.key);
      // Risk also depends on other assets and does not need the present version of the features, so it is always
      // recomputed.
      await recomputeRisk(tx, assetId, clock());
      return { inference: inferred?.outcome ?? 'skipped' };
    });
  };
