import { withWalkTx } from '../campaigns/walk-tx.ts';
import { type DeltaChange, DeltaCursorInvalid, type InventoryPage } from '../connectors/connector.ts';
import { enqueueUnits, type NewUnit } from '../work/enqueue.sql.ts';
import type { UnitHandler } from '../work/unit.ts';
import { differentlyShared, hasChangedFolders } from './inherited.sql.ts';
import { readingInherited } from './read-inherited.ts';
import { MAX_RESTARTS, recordChanges } from './record-changes.ts';
import { ring } from './ring.ts';
import type { ScanParts } from './scan-parts.ts';
import { sourceOf } from './source-of.ts';

/** The place is nested, so that a worker of an earlier release finds no page token and resyncs instead of listing on. */
type SharingPayload = {
  of: 'sharing';
  at: {
    page: number;
    pageToken: string | null;
    /** How often the source has sent this listing back to the beginning. */
    restarts: number;
  };
};

/** The unit that compares a page of a listing with what is known of sharing. */
export const comparingSharing = (
  page = 0,
  pageToken: string | null = null,
  restarts = 0,
): NewUnit & { payload: SharingPayload } => ({
  kind: 'inventory_page',
  logicalKey: `sharing:${restarts === 0 ? '' : `restart-${restarts}:`}page:${page}`,
  payload: { of: 'sharing', at: { page, pageToken, restarts } },
});

/**
 * One page of a listing of a scope whose feed does not report sharing: what is shared otherwise than before is recorded as
 * if the feed had reported it. The last page is followed by what files inherit.
 */
export const compareSharing =
  (parts: ScanParts): UnitHandler =>
  async (unit, signal) => {
    const source = await sourceOf(parts, unit);
    const { scopeId, externalId } = source.scope;
    const { page, pageToken, restarts } = (unit.payload as SharingPayload).at;
    const listing = await listingAt(
      () => source.connector.listItems(externalId, pageToken, signal),
      restarts,
    );
    if (listing !== 'lost') {
      const { sharing = {} } = listing;
      const ids = await withWalkTx(parts.db, unit, (tx) => differentlyShared(tx, scopeId, sharing));
      await recordChanges(parts, unit, source, changesIn(listing, ids), signal, sharing);
    }
    const added = await withWalkTx(parts.db, unit, async (tx) => {
      if (listing === 'lost')
        return enqueueUnits(tx, unit.campaignId, [comparingSharing(0, null, restarts + 1)], parts.clock());
      const { nextPageToken } = listing;
      if (nextPageToken !== null) {
        const next = comparingSharing(page + 1, nextPageToken, restarts);
        return enqueueUnits(tx, unit.campaignId, [next], parts.clock());
      }
      const isChanged = await hasChangedFolders(tx, scopeId);
      return enqueueUnits(tx, unit.campaignId, isChanged ? [readingInherited()] : [], parts.clock());
    });
    await ring(parts, added);
    return {};
  };

/** `lost` if the source no longer knows the place. Throws if it has lost the listing too often. */
async function listingAt(
  list: () => Promise<InventoryPage>,
  restarts: number,
): Promise<InventoryPage | 'lost'> {
  try {
    return await list();
  } catch (error) {
    if (!(error instanceof DeltaCursorInvalid) || restarts === MAX_RESTARTS) throw error;
    return 'lost';
  }
}

const changesIn = ({ items, folders = [] }: InventoryPage, ids: ReadonlySet<string>): DeltaChange[] => [
  ...folders.flatMap((folder): DeltaChange[] =>
    ids.has(folder.externalId) ? [{ type: 'folder', folder }] : [],
  ),
  ...items.flatMap((item): DeltaChange[] => (ids.has(item.externalId) ? [{ type: 'upsert', item }] : [])),
];
