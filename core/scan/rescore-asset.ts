import type { Tx } from '../db/tx.ts';
import { planRescore, type RescorePayload } from '../inference/plan-rescore.ts';
import type { AssetId } from '../kernel/ids.ts';
import { planSuppressionRescore } from '../signals/plan-suppression-rescore.ts';
import { enqueueUnits } from '../work/enqueue.sql.ts';
import { withLeasedTx } from '../work/leased-tx.ts';
import type { UnitHandler } from '../work/unit.ts';
import { ring } from './ring.ts';
import type { ScanParts } from './scan-parts.ts';
import { scoreRetained } from './score-retained.ts';
import type { TaxonomyLookup } from './taxonomy-cache.ts';

/** The parts that a rescore needs. It reads no source and no file. */
export type RescoreParts = Pick<ScanParts, 'config' | 'db' | 'clock' | 'log' | 'doorbell'>;

/** Scores one asset again from its retained features. The first unit of a batch also enqueues the next batch. */
export const rescoreAsset =
  (parts: RescoreParts, taxonomyInUse: TaxonomyLookup): UnitHandler =>
  async (unit, signal) => {
    const { assetId, ensembleVersion, suppression, planAfter } = unit.payload as RescorePayload;
    const { db, clock } = parts;
    const next = (tx: Tx, after: AssetId) =>
      suppression === undefined
        ? planRescore(tx, ensembleVersion, after)
        : planSuppressionRescore(tx, { ensembleVersion, suppression }, after);
    if (planAfter !== undefined) {
      // Commits the next batch first, so that it is scored even if this asset fails.
      const added = await withLeasedTx(db, unit, async (tx) =>
        enqueueUnits(tx, unit.campaignId, await next(tx, planAfter), clock()),
      );
      await ring(parts, added);
    }
    const taxonomy = await taxonomyInUse(unit.tenantId, signal, {
      ensemble: ensembleVersion,
      suppressions: suppression?.version ?? 0,
    });
    return withLeasedTx(db, unit, async (tx) => ({
      inference: await scoreRetained(tx, assetId, taxonomy, clock()),
    }));
  };
