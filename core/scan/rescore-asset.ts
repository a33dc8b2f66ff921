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

/** What scoring again needs: neither a connector nor anything that reads a file. */
export type RescoreParts = Pick<ScanParts, 'config' | 'db' | 'clock' | 'log' | 'doorbell'>;

/** Scores one asset again from what is retained of it. The first of a batch brings in the next one. */
export const rescoreAsset =
  (parts: RescoreParts, taxonomyInUse: TaxonomyLookup): UnitHandler =>
  async (unit, signal) => {
    const { assetId, ensembleVersion, planAfter } = unit.payload as RescorePayload;
    const { db, clock } = parts;
    if (planAfter !== undefined) {
      // First of all, and committed: whatever this asset does, those after it are scored.
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
      // What others are taken for is a part of it, and features of any version are enough.
      await recomputeRisk(tx, assetId, clock());
      return { inference: inferred?.outcome ?? 'skipped' };
    });
  };
