import { createHash } from 'node:crypto';
import { withWalkTx } from '../campaigns/walk-tx.ts';
import type { Connector, DeltaChange, SharingMarks, SourceItem } from '../connectors/connector.ts';
import type { Tx } from '../db/tx.ts';
import type { CampaignId, ScopeId } from '../kernel/ids.ts';
import { enqueueUnits } from '../work/enqueue.sql.ts';
import type { WorkUnit } from '../work/unit.ts';
import { readFolders, type SourceOfUnit } from './folder-permissions.ts';
import { markFoldersGone, recordFolders } from './folders.sql.ts';
import {
  type AssetInPlace,
  forgetPermissions,
  type ListedAsset,
  markDeleted,
  upsertListedAssets,
} from './inventory.sql.ts';
import { takeItems } from './leave-out.ts';
import { ring } from './ring.ts';
import type { ScanParts } from './scan-parts.ts';

/** Changes recorded in one transaction. */
export const RECORDED_AT_ONCE = 200;
/** A source that loses a listing more often than this in one campaign has no end of it. */
export const MAX_RESTARTS = 3;

/**
 * Stores what a source reports as changed, and enqueues a unit for each of the assets.
 * @param sharing marks of a listing that were found to be different. Their assets get units of their own, because those
 * of the feed may have read the permissions before.
 */
export async function recordChanges(
  parts: ScanParts,
  unit: WorkUnit,
  source: SourceOfUnit,
  changes: readonly DeltaChange[],
  signal: AbortSignal,
  sharing?: SharingMarks,
): Promise<void> {
  const { scope, connector } = source;
  const keyed = sharing === undefined ? 'asset' : 'shared';
  for (let from = 0; from < changes.length; from += RECORDED_AT_ONCE) {
    const some = changes.slice(from, from + RECORDED_AT_ONCE);
    const items = some.flatMap((change) => (change.type === 'upsert' ? [change.item] : []));
    const gone = some.flatMap((change) => (change.type === 'delete' ? [change.externalId] : []));
    const folders = some.flatMap((change) => (change.type === 'folder' ? [change.folder] : []));
    const read = await readFolders(unit, source, folders, signal, sharing);
    const recorded = await withWalkTx(parts.db, unit, async (tx) => {
      await recordGone(tx, scope.scopeId, gone, parts.clock());
      await recordFolders(tx, scope.scopeId, unit.campaignId, read, 'delta');
      const taken = await takeItems(tx, unit, scope, items, parts.clock());
      const assets = await listItems(tx, unit.campaignId, scope.scopeId, taken.items, parts.clock(), sharing);
      const added = await enqueueAssets(tx, unit.campaignId, assets, parts.clock(), connector, keyed);
      return { added, leftOut: taken.leftOut };
    });
    unit.use.leftOut.push(...recorded.leftOut);
    await ring(parts, recorded.added);
  }
}

/** Notes that files and folders were deleted. What is in the folders follows when the whole feed is recorded. */
export async function recordGone(
  tx: Tx,
  scopeId: ScopeId,
  externalIds: readonly string[],
  now: number,
): Promise<void> {
  await markDeleted(tx, scopeId, externalIds, now);
  await markFoldersGone(tx, scopeId, externalIds);
}

export function listItems(
  tx: Tx,
  campaignId: CampaignId,
  scopeId: ScopeId,
  listed: readonly SourceItem[],
  now: number,
  sharing: SharingMarks = {},
): Promise<ListedAsset[]> {
  const items = [...new Map(listed.map((item) => [item.externalId, item])).values()];
  return upsertListedAssets(tx, scopeId, campaignId, items, now, sharing);
}

/**
 * One unit per asset and version, so that an asset that changes again within a campaign is processed again. It reads the
 * permissions in any case if files inherit them.
 */
export async function enqueueAssets(
  tx: Tx,
  campaignId: CampaignId,
  assets: readonly ListedAsset[],
  now: number,
  { inheritsPermissions }: Pick<Connector, 'inheritsPermissions'> = {},
  keyed: 'asset' | 'shared' = 'asset',
): Promise<number> {
  const units = assets.map(({ assetId, sourceVersion }) => ({
    kind: 'process_asset' as const,
    // Versions come from the source and may have any length.
    logicalKey: `${keyed}:${assetId}:${createHash('sha256').update(sourceVersion).digest('base64url')}`,
    payload: { assetId },
  }));
  if (inheritsPermissions) await forgetPermissions(tx, campaignId, units);
  return enqueueUnits(tx, campaignId, units, now);
}

/** Enqueues assets in batches, each after the place of the last one (`''` for the beginning). */
export async function enqueueAll(
  parts: ScanParts,
  unit: WorkUnit,
  listed: (tx: Tx, after: string) => Promise<AssetInPlace[]>,
): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const from: string = after;
    const { assets, added } = await withWalkTx(parts.db, unit, async (tx) => {
      const assets = await listed(tx, from);
      return { assets, added: await enqueueAssets(tx, unit.campaignId, assets, parts.clock()) };
    });
    await ring(parts, added);
    after = assets.length < RECORDED_AT_ONCE ? undefined : assets.at(-1)?.place;
  }
}
