import { withWalkTx } from '../campaigns/walk-tx.ts';
import type { ScopeId } from '../kernel/ids.ts';
import type { WorkUnit } from '../work/unit.ts';
import { forgetMissedFolders } from './folders.sql.ts';
import {
  type CampaignScope,
  completeLook,
  completeNarrowedLook,
  MARKED_AT_ONCE,
  type ScopeLook,
} from './inventory.sql.ts';
import { markMissed, missedAssets } from './missed.sql.ts';
import { enqueueAll, RECORDED_AT_ONCE } from './record-changes.ts';
import type { ScanParts } from './scan-parts.ts';
import { settleFolders } from './settle-folders.ts';
import { forgetUnchanged } from './unchanged.sql.ts';

/**
 * Ends a listing of a whole scope after all its pages are recorded. Missing assets are marked in batches, because
 * each transaction makes the other workers of the campaign wait. A narrowed scan ends no asset, since it did not look at all.
 * @param isPartlyRead whether an entry could not be read. It may be any of the missing assets, or a folder of them, so the
 * source is asked for each.
 */
export async function endListing(
  parts: ScanParts,
  unit: WorkUnit,
  scope: CampaignScope,
  look: ScopeLook,
  isPartlyRead: boolean,
): Promise<void> {
  const { scopeId, narrowing } = scope;
  const { campaignId } = unit;
  if (narrowing.only !== null) {
    await settleFolders(parts, unit, scopeId);
    await withWalkTx(parts.db, unit, (tx) => completeNarrowedLook(tx, scopeId, parts.clock()));
    return;
  }
  if (isPartlyRead)
    await enqueueAll(parts, unit, (tx, after) =>
      missedAssets(tx, scopeId, campaignId, after, RECORDED_AT_ONCE),
    );
  else await endMissed(parts, unit, scopeId);
  await settleFolders(parts, unit, scopeId);
  await withWalkTx(parts.db, unit, async (tx) => {
    await completeLook(tx, scope, { ...look, listedBy: campaignId }, parts.clock());
    await forgetUnchanged(tx, scopeId);
  });
}

async function endMissed(parts: ScanParts, unit: WorkUnit, scopeId: ScopeId): Promise<void> {
  let taken: number;
  do {
    taken = await withWalkTx(parts.db, unit, (tx) => markMissed(tx, scopeId, unit.campaignId, parts.clock()));
  } while (taken === MARKED_AT_ONCE);
  await withWalkTx(parts.db, unit, (tx) => forgetMissedFolders(tx, scopeId, unit.campaignId));
}
