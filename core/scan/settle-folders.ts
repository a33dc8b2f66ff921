import { withWalkTx } from '../campaigns/walk-tx.ts';
import type { Tx } from '../db/tx.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import { followUps } from '../inference/plan-rescore.ts';
import { type CampaignId, newId, type ScopeId } from '../kernel/ids.ts';
import { enqueueUnits } from '../work/enqueue.sql.ts';
import type { WorkUnit } from '../work/unit.ts';
import {
  deleteGoneFolders,
  itemsInGoneFolders,
  type MovedAsset,
  moveAssets,
  placeFolders,
  spreadGone,
} from './folders.sql.ts';
import { MARKED_AT_ONCE, markDeleted } from './inventory.sql.ts';
import { ring } from './ring.ts';
import type { ScanParts } from './scan-parts.ts';

/**
 * Deletes what is in deleted folders, and gives what is in moved folders its new path and a new inference. It runs when
 * the whole feed is recorded, because an item may have left its folder on a later page. A run that broke off is continued
 * by the next one.
 */
export async function settleFolders(parts: ScanParts, unit: WorkUnit, scopeId: ScopeId): Promise<void> {
  const { db, clock } = parts;
  await withWalkTx(db, unit, (tx) => spreadGone(tx, scopeId));
  let deleted: number;
  do {
    deleted = await withWalkTx(db, unit, async (tx) => {
      const items = await itemsInGoneFolders(tx, scopeId, MARKED_AT_ONCE);
      await markDeleted(tx, scopeId, items, clock());
      if (items.length < MARKED_AT_ONCE) await deleteGoneFolders(tx, scopeId);
      return items.length;
    });
  } while (deleted === MARKED_AT_ONCE);
  while ((await withWalkTx(db, unit, (tx) => placeFolders(tx, scopeId))) > 0);
  let isDone: boolean;
  do {
    const batch = await withWalkTx(db, unit, async (tx) => {
      const { moved, isDone } = await moveAssets(tx, scopeId, MARKED_AT_ONCE);
      return { isDone, added: await enqueueMoved(tx, unit.campaignId, moved, clock()) };
    });
    await ring(parts, batch.added);
    isDone = batch.isDone;
  } while (!isDone);
}

/** The path is evidence for inference. Assets that were not inferred yet have a unit of their own. */
async function enqueueMoved(
  tx: Tx,
  campaignId: CampaignId,
  moved: readonly MovedAsset[],
  now: number,
): Promise<number> {
  const inferred = moved.filter(({ isInferred }) => isInferred).map(({ assetId }) => assetId);
  if (inferred.length === 0) return 0;
  const { version } = await loadActiveEnsemble(tx);
  return enqueueUnits(
    tx,
    campaignId,
    followUps(inferred, { ensembleVersion: version }, newId('mov', now)),
    now,
  );
}
