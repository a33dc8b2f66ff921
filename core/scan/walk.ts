import { withWalkTx } from '../campaigns/walk-tx.ts';
import { DeltaCursorInvalid, type FeedConnector, type SourceItem } from '../connectors/connector.ts';
import { latestChanges } from '../connectors/latest-changes.ts';
import type { Tx } from '../db/tx.ts';
import type { LeftOut } from '../kernel/vocabulary.ts';
import { enqueueUnits, hasUnit, type NewUnit } from '../work/enqueue.sql.ts';
import type { UnitHandler, WorkUnit } from '../work/unit.ts';
import { comparingSharing } from './compare-sharing.ts';
import { endListing } from './end-listing.ts';
import { readFolders, type SourceOfUnit } from './folder-permissions.ts';
import { recordFolders } from './folders.sql.ts';
import { hasChangedFolders } from './inherited.sql.ts';
import {
  activeAssets,
  type CampaignScope,
  completeLook,
  forgetSeen,
  invalidateCursor,
  knownVersions,
  unobservedAssets,
} from './inventory.sql.ts';
import { takeItems } from './leave-out.ts';
import { readingInherited } from './read-inherited.ts';
import {
  enqueueAll,
  enqueueAssets,
  listItems,
  MAX_RESTARTS,
  RECORDED_AT_ONCE,
  recordChanges,
  recordGone,
} from './record-changes.ts';
import { refreshLabels } from './refresh-labels.ts';
import { askAgain } from './refused-scope.ts';
import { type CaseTwin, renameAssets } from './renamed.sql.ts';
import { renamedByCase } from './renamed-by-case.ts';
import { ring } from './ring.ts';
import type { ScanParts } from './scan-parts.ts';
import { settleFolders } from './settle-folders.ts';
import { sourceOf } from './source-of.ts';
import { recordUnchanged } from './unchanged.sql.ts';

type PagePayload = {
  /** From 0. A listing that begins again counts on, so that one page at most follows each. */
  page: number;
  pageToken: string | null;
  /** Distinguishes the pages of a resync from those of an inventory in the same campaign. */
  prefix?: string;
  /** Whether its items are compared with the known assets: in a delta of a source without a feed. */
  compares?: boolean;
  /** The tenant's config version when the listing began. Its first page sets it. */
  configVersion?: number;
  /** How often the source has sent this listing back to the beginning. */
  restarts?: number;
  /** Whether an earlier page had an entry that could not be read. */
  isPartlyRead?: boolean;
};

const pageUnit = (payload: PagePayload): NewUnit => ({
  kind: 'inventory_page',
  logicalKey: `${payload.prefix ?? ''}page:${payload.page}`,
  payload,
});

/** Maximum number of pages of one delta. A source that exceeds it needs a resync. */
const MAX_DELTA_PAGES = 10_000;

/**
 * Processes one page of a listing: stores its assets, enqueues a unit for each, and continues with the next page or
 * ends the listing.
 */
export const inventoryPage =
  (parts: ScanParts): UnitHandler =>
  async (unit, signal) => {
    const source = await sourceOf(parts, unit);
    const { scope, connector } = source;
    const payload = unit.payload as PagePayload;
    if (!(await askAgain(parts, unit, scope, connector, signal))) return {};
    await listPage(parts, unit, source, payload, signal);
    if (payload.page === 0) await refreshLabels(parts, unit, connector, signal);
    return {};
  };

/** Lists a page, or begins again if the source no longer knows the place. A listing that has ended stays so. */
async function listPage(
  parts: ScanParts,
  unit: WorkUnit,
  source: SourceOfUnit,
  payload: PagePayload,
  signal: AbortSignal,
): Promise<void> {
  const { page, prefix = '', compares = false, restarts = 0 } = payload;
  if (source.scope.isListed) return;
  try {
    await recordPage(parts, unit, source, payload, signal);
  } catch (error) {
    if (!(error instanceof DeltaCursorInvalid) || restarts === MAX_RESTARTS) throw error;
    const again = { page: page + 1, pageToken: error.restartAt, prefix, compares, restarts: restarts + 1 };
    await startResync(parts, unit, source.scope, again);
  }
}

async function recordPage(
  parts: ScanParts,
  unit: WorkUnit,
  source: SourceOfUnit,
  payload: PagePayload,
  signal: AbortSignal,
): Promise<void> {
  const { scope, connector } = source;
  const { page, pageToken, compares = false, configVersion = scope.configVersion } = payload;
  const listing = await connector.listItems(scope.externalId, pageToken, signal);
  const { items, folders = [], gone = [], leftOut = [], sharing, nextPageToken } = listing;
  const read = await readFolders(unit, source, folders, signal, sharing);
  const renamed = await renamedByCase(parts, unit, source, items, signal);
  const now = parts.clock();
  // A narrowed one does not read the permissions of all files again.
  const by = scope.narrowing.only === null ? 'inventory' : 'delta';
  const isPartlyRead = payload.isPartlyRead === true || leftOut.includes('unreadable');
  const next = pageUnit({
    ...payload,
    page: page + 1,
    pageToken: nextPageToken,
    configVersion,
    ...(isPartlyRead && { isPartlyRead }),
  });
  const recorded = await withWalkTx(parts.db, unit, async (tx) => {
    await renameAssets(tx, scope.scopeId, renamed);
    await recordGone(tx, scope.scopeId, gone, now);
    await recordFolders(tx, scope.scopeId, unit.campaignId, read, by);
    const taken = await takeItems(tx, unit, scope, items, now);
    const changed = compares
      ? await changedItems(tx, unit, scope, payload, taken.items, renamed)
      : taken.items;
    const assets = await listItems(tx, unit.campaignId, scope.scopeId, changed, now, sharing);
    const added = await enqueueAssets(tx, unit.campaignId, assets, now, compares ? {} : connector);
    const following = nextPageToken === null ? [] : [next];
    const { leftOut } = taken;
    return {
      leftOut,
      added: added + (await enqueueUnits(tx, unit.campaignId, following, now)),
      // A page that is processed again may look like the last one. The one that follows it goes on.
      isLast: nextPageToken === null && !(await hasUnit(tx, unit.campaignId, next.logicalKey)),
    };
  });
  countLeftOut(parts, leftOut);
  unit.use.leftOut.push(...recorded.leftOut);
  await ring(parts, recorded.added);
  if (!recorded.isLast) return;
  const coverage = compares ? 'delta' : 'baseline';
  const look = { coverage, cursor: listing.deltaCursor, configVersion } as const;
  await endListing(parts, unit, scope, look, isPartlyRead);
}

/**
 * Of the items of a page, those that are not as they were last observed. The others are only recorded as seen. Throws
 * `DeltaCursorInvalid` if what earlier pages recorded is gone: the listing would end what they saw. A narrowed scan ends
 * nothing, so it records nothing.
 */
async function changedItems(
  tx: Tx,
  { campaignId }: WorkUnit,
  { scopeId, reconfigured, narrowing }: CampaignScope,
  { page, configVersion }: PagePayload,
  items: readonly SourceItem[],
  renamed: readonly CaseTwin[],
): Promise<SourceItem[]> {
  const ids = items.map(({ externalId }) => externalId);
  const known = await knownVersions(tx, scopeId, ids);
  const isChanged = ({ externalId, sourceVersion }: SourceItem) =>
    reconfigured ||
    renamed.some(({ listedAs }) => listedAs === externalId) ||
    known.get(externalId)?.observed !== sourceVersion;
  const unchanged = items
    .filter((item) => !isChanged(item))
    .flatMap(({ externalId }) => known.get(externalId)?.assetId ?? []);
  const at = { page, isFirst: configVersion === undefined };
  if (narrowing.only === null && !(await recordUnchanged(tx, scopeId, campaignId, at, unchanged)))
    throw new DeltaCursorInvalid();
  return items.filter(isChanged);
}

function countLeftOut({ metrics }: ScanParts, leftOut: readonly LeftOut[]): void {
  for (const reason of leftOut) metrics.count(`items_left_out:${reason}`);
}

/**
 * Processes what has changed in a scope since its cursor. For a source without a feed, it lists the first page that is
 * compared with the known assets; the others follow in units of their own.
 */
export const deltaRun =
  (parts: ScanParts): UnitHandler =>
  async (unit, signal) => {
    const { scope, connector } = await sourceOf(parts, unit);
    if (!(await askAgain(parts, unit, scope, connector, signal))) return {};
    if (connector.delta === 'comparison') {
      const first = { page: 0, pageToken: null, compares: true };
      await listPage(parts, unit, { scope, connector }, first, signal);
      return {};
    }
    await takeUp(parts, unit, scope);
    try {
      await follow(parts, unit, { scope, connector }, signal);
    } catch (error) {
      if (!(error instanceof DeltaCursorInvalid)) throw error;
      const first = { page: 0, pageToken: error.restartAt, prefix: 'resync:' };
      await startResync(parts, unit, scope, first);
    }
    return {};
  };

/**
 * Enqueues the assets that an earlier campaign listed but never read, because a feed reports each change only once.
 * After a change of the tenant's configuration it enqueues all assets, since their evidence depends on it.
 */
async function takeUp(parts: ScanParts, unit: WorkUnit, scope: CampaignScope): Promise<void> {
  const listed = scope.reconfigured ? activeAssets : unobservedAssets;
  await enqueueAll(parts, unit, (tx, after) => listed(tx, scope.scopeId, after, RECORDED_AT_ONCE));
}

/** Reads the feed from the cursor of the scope to its end. Throws `DeltaCursorInvalid`. */
async function follow(
  parts: ScanParts,
  unit: WorkUnit,
  source: SourceOfUnit<FeedConnector>,
  signal: AbortSignal,
): Promise<void> {
  const { scope, connector } = source;
  if (scope.deltaCursor === null) throw new DeltaCursorInvalid();
  let pageToken: string | null = null;
  for (let page = 0; page < MAX_DELTA_PAGES; page++) {
    const delta = await connector.listDelta(scope.externalId, scope.deltaCursor, pageToken, signal);
    await recordChanges(parts, unit, source, latestChanges(delta.changes), signal);
    countLeftOut(parts, delta.leftOut ?? []);
    if (delta.nextPageToken === null) {
      await settleFolders(parts, unit, scope.scopeId);
      await endDelta(parts, unit, source, delta.deltaCursor, signal);
      return;
    }
    pageToken = delta.nextPageToken;
  }
  throw new DeltaCursorInvalid();
}

/**
 * Ends a delta after its changes are recorded. What the feed does not report of sharing follows in units that are due
 * after those of the changes.
 */
async function endDelta(
  parts: ScanParts,
  unit: WorkUnit,
  { scope, connector }: SourceOfUnit<FeedConnector>,
  cursor: string | null,
  signal: AbortSignal,
): Promise<void> {
  const { scopeId, configVersion } = scope;
  const compares =
    scope.assetCount <= parts.config.SVC_SHARING_COMPARED_ITEMS &&
    (await connector.reportsSharing?.(signal)) === false;
  const added = await withWalkTx(parts.db, unit, async (tx) => {
    const look = { coverage: 'delta' as const, cursor, configVersion };
    await completeLook(tx, scope, look, parts.clock());
    const reads = !compares && (await hasChangedFolders(tx, scopeId));
    const next = [...(compares ? [comparingSharing()] : []), ...(reads ? [readingInherited()] : [])];
    return enqueueUnits(tx, unit.campaignId, next, parts.clock());
  });
  await ring(parts, added);
}

/** Lists the whole scope again: after a delta under `resync:`, and each time that a listing was sent back. */
async function startResync(
  parts: ScanParts,
  unit: WorkUnit,
  { scopeId, narrowing }: CampaignScope,
  first: PagePayload,
): Promise<void> {
  parts.log.info('delta_resync_required', {
    tenantId: unit.tenantId,
    scopeId,
    campaignId: unit.campaignId,
  });
  const added = await withWalkTx(parts.db, unit, async (tx) => {
    const count = await enqueueUnits(tx, unit.campaignId, [pageUnit(first)], parts.clock());
    // A repeated run must not undo what the resync has done since the first run. A narrowed scan ends nothing.
    if (count === 0 || narrowing.only !== null) return count;
    await forgetSeen(tx, scopeId, unit.campaignId);
    // A comparison has no cursor, and what is known of the scope is no older than before.
    if (!first.compares) await invalidateCursor(tx, scopeId);
    return count;
  });
  // The new listing counts what it leaves out.
  unit.use.leftOut.length = 0;
  await ring(parts, added);
}
