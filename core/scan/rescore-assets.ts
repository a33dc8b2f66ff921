import type { Tx } from '../db/tx.ts';
import { lockAssets } from '../findings/lock-assets.sql.ts';
import { planRescore, type RescorePayload } from '../inference/plan-rescore.ts';
import { planSuppressionRescore } from '../signals/plan-suppression-rescore.ts';
import { enqueueUnits } from '../work/enqueue.sql.ts';
import { withLeasedGroupTx, withLeasedTx } from '../work/leased-tx.ts';
import type { GroupHandler, WorkUnit } from '../work/unit.ts';
import { ring } from './ring.ts';
import type { ScanParts } from './scan-parts.ts';
import { requireInForce, scoreByNewest } from './score-by-newest.ts';
import { scoreRetained } from './score-retained.ts';
import type { TaxonomyLookup } from './taxonomy-cache.ts';

/** The parts that a rescore needs. It reads no source and no file. */
export type RescoreParts = Pick<ScanParts, 'config' | 'db' | 'clock' | 'log' | 'doorbell'>;

const payloadOf = ({ payload }: WorkUnit) => payload as RescorePayload;

/**
 * Scores assets again from their retained features, in one transaction. The first unit of a batch also enqueues the
 * next batch.
 */
export const rescoreAssets = (parts: RescoreParts, taxonomyInUse: TaxonomyLookup): GroupHandler => ({
  runGroup: async (units, signal) => {
    const [first] = units;
    if (first === undefined) return [];
    const { db, clock } = parts;
    for (const unit of units) await enqueueNext(parts, unit);
    const taxonomy = await taxonomyInUse(first.tenantId, signal, {
      ensemble: Math.max(...units.map((unit) => payloadOf(unit).ensembleVersion)),
      suppressions: Math.max(...units.map((unit) => payloadOf(unit).suppression?.version ?? 0)),
      answeredAt: Math.max(...units.map((unit) => payloadOf(unit).answeredAt ?? 0)),
    });
    // Decisions on several of its copies make several units of an asset.
    const assetIds = [...new Set(units.map((unit) => payloadOf(unit).assetId))];
    const newest = { lookup: taxonomyInUse, tenantId: first.tenantId, signal };
    const outcomes = await scoreByNewest(newest, taxonomy, (inUse) =>
      withLeasedGroupTx(db, first.tenantId, units, async (tx) => {
        await Promise.all([lockAssets(tx, assetIds), requireInForce(tx, inUse)]);
        return scoreRetained(tx, assetIds, inUse, clock());
      }),
    );
    return units.map((unit) => ({ inference: outcomes.get(payloadOf(unit).assetId) ?? 'skipped' }));
  },
});

/** Commits the next batch first, so that it is scored even if this asset fails. */
async function enqueueNext(parts: RescoreParts, unit: WorkUnit): Promise<void> {
  const { ensembleVersion, suppression, planAfter } = payloadOf(unit);
  if (planAfter === undefined) return;
  const next = (tx: Tx) =>
    suppression === undefined
      ? planRescore(tx, ensembleVersion, planAfter)
      : planSuppressionRescore(tx, { ensembleVersion, suppression }, planAfter);
  const added = await withLeasedTx(parts.db, unit, async (tx) =>
    enqueueUnits(tx, unit.campaignId, await next(tx), parts.clock()),
  );
  await ring(parts, added);
}
