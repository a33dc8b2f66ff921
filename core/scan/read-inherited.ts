import { withWalkTx } from '../campaigns/walk-tx.ts';
import type { NewUnit } from '../work/enqueue.sql.ts';
import { enqueueUnits } from '../work/enqueue.sql.ts';
import type { UnitHandler } from '../work/unit.ts';
import { permissionsKeys, unlessRefused } from './folder-permissions.ts';
import {
  closeFolders,
  foldersToCompare,
  forgetUnread,
  inheritingAssets,
  reopenFolders,
  spreadChanged,
  storeCompared,
  storePermissions,
} from './inherited.sql.ts';
import { ring } from './ring.ts';
import type { ScanParts } from './scan-parts.ts';
import { sourceOf } from './source-of.ts';

/** Folders, or files, of one unit: ten batches of a source that takes 20 calls at once. */
const READ_AT_ONCE = 200;

type InheritedPayload = { of: 'inherited'; step: number; after: { folder: string; assetId: string } | null };

/** The unit that reads again what files inherit from folders whose sharing has changed. */
export const readingInherited = (
  step = 0,
  after: InheritedPayload['after'] = null,
): NewUnit & { payload: InheritedPayload } => ({
  kind: 'inventory_page',
  logicalKey: `inherited:${step}`,
  payload: { of: 'inherited', step, after },
});

/**
 * One step below folders whose sharing has changed: compares the folders in them, level by level, and reads the permissions
 * of the files when all folders are compared. Each step enqueues the next one, so one step at a time runs, after the units
 * that were due before. The folders are done when the last step has ended: a campaign that is cancelled leaves the rest
 * to the next delta.
 */
export const readInherited =
  (parts: ScanParts): UnitHandler =>
  async (unit, signal) => {
    const source = await sourceOf(parts, unit);
    const { scope, connector } = source;
    const { scopeId } = scope;
    const { step, after } = unit.payload as InheritedPayload;
    const { db, clock } = parts;
    const next = (place: InheritedPayload['after']) => [readingInherited(step + 1, place)];

    if (step === 0) await withWalkTx(db, unit, (tx) => reopenFolders(tx, scopeId));
    while ((await withWalkTx(db, unit, (tx) => spreadChanged(tx, scopeId, READ_AT_ONCE))) === READ_AT_ONCE);
    const folders = await withWalkTx(db, unit, (tx) => foldersToCompare(tx, scopeId, READ_AT_ONCE));
    if (folders.length > 0) {
      const keys = await permissionsKeys(unit, source, folders, signal);
      const added = await withWalkTx(db, unit, async (tx) => {
        await storeCompared(tx, scopeId, keys);
        return enqueueUnits(tx, unit.campaignId, next(null), clock());
      });
      await ring(parts, added);
      return {};
    }

    const began = clock();
    const assets = await withWalkTx(db, unit, (tx) => inheritingAssets(tx, scopeId, after, READ_AT_ONCE));
    const read = await Promise.all(
      assets.map(async ({ assetId, externalId }) => {
        const permissions = await unlessRefused(unit, () =>
          connector.getPermissions(scope.externalId, externalId, signal),
        );
        return { assetId, permissions };
      }),
    );
    const last = assets.length < READ_AT_ONCE ? undefined : assets.at(-1);
    const added = await withWalkTx(db, unit, async (tx) => {
      const unread = read.flatMap(({ assetId, permissions }) => (permissions === null ? [assetId] : []));
      const reported = read.flatMap(({ assetId, permissions }) =>
        permissions === null ? [] : [{ assetId, permissions }],
      );
      await forgetUnread(tx, unread, began);
      await storePermissions(tx, reported, began, clock());
      if (last !== undefined) return enqueueUnits(tx, unit.campaignId, next(last), clock());
      await closeFolders(tx, scopeId);
      return 0;
    });
    await ring(parts, added);
    return {};
  };
