import { createHash } from 'node:crypto';
import { compareListing } from '../connectors/compare-listing.ts';
import {
  type Connector,
  type DeltaChange,
  DeltaCursorInvalid,
  type SourceItem,
} from '../connectors/connector.ts';
import { type Tx, withTx } from '../db/tx.ts';
import type { AssetId, CampaignId, ScopeId } from '../kernel/ids.ts';
import { enqueueUnits } from '../work/enqueue.sql.ts';
import { UnitFailure } from '../work/failure.ts';
import { withLeasedTx } from '../work/leased-tx.ts';
import type { UnitHandler, WorkUnit } from '../work/unit.ts';
import {
  completeDelta,
  completeWalk,
  invalidateCursor,
  knownVersions,
  type ListedAsset,
  markDeleted,
  scopeOfCampaign,
  unobservedAssets,
  upsertListedAssets,
} from './inventory.sql.ts';
import { ring } from './ring.ts';
import type { ScanParts } from './scan-parts.ts';

/** `prefix` tells a resync's pages from those of an ordinary inventory in the same campaign. */
type PagePayload = { page: number; pageToken: string | null; prefix?: string };

/** Pages of one delta, at most; a source that goes on past it is asked for a resync instead. */
const DELTA_PAGES_MAX = 10_000;
/** Changes recorded in one transaction. */
const RECORDED_AT_ONCE = 200;

/** One page of a walk: its assets, a unit for each of them, and the next page or the end of the walk. */
export const inventoryPage =
  (parts: ScanParts): UnitHandler =>
  async (unit, signal) => {
    const { page, pageToken, prefix = '' } = unit.payload as PagePayload;
    const { scope, connector } = await sourceOf(parts, unit);
    const listing = await connector.listItems(scope.externalId, pageToken, signal);
    const now = parts.clock();
    const added = await withLeasedTx(parts.db, unit, async (tx) => {
      const count = await recordItems(tx, unit.campaignId, scope.scopeId, listing.items, now);
      if (listing.nextPageToken === null) {
        await completeWalk(tx, scope.scopeId, unit.campaignId, listing.deltaCursor, now);
        return count;
      }
      const payload: PagePayload = { page: page + 1, pageToken: listing.nextPageToken, prefix };
      const next = { kind: 'inventory_page' as const, logicalKey: `${prefix}page:${page + 1}`, payload };
      return count + (await enqueueUnits(tx, unit.campaignId, [next], now));
    });
    await ring(parts, added);
    return {};
  };

/** What changed in a scope since its cursor, or, for a source without a feed, since what is known of it. */
export const deltaRun =
  (parts: ScanParts): UnitHandler =>
  async (unit, signal) => {
    const { scope, connector } = await sourceOf(parts, unit);
    const record = async (changes: readonly DeltaChange[], blindFolders: readonly string[]) => {
      for (let from = 0; from < changes.length; from += RECORDED_AT_ONCE) {
        const some = changes.slice(from, from + RECORDED_AT_ONCE);
        const items = some.flatMap((change) => (change.type === 'upsert' ? [change.item] : []));
        const gone = some.flatMap((change) => (change.type === 'delete' ? [change.externalId] : []));
        const added = await withLeasedTx(parts.db, unit, async (tx) => {
          await markDeleted(tx, scope.scopeId, gone, blindFolders);
          return recordItems(tx, unit.campaignId, scope.scopeId, items, parts.clock());
        });
        await ring(parts, added);
      }
    };

    if (connector.delta === 'comparison') {
      const known = await withTx(parts.db, { tenantId: unit.tenantId, mode: 'read' }, (tx) =>
        knownVersions(tx, scope.scopeId),
      );
      const listing = await wholeListing(connector, scope.externalId, signal);
      const blindFolders = listing.flatMap(({ kind, path }) => (kind === 'folder' ? [path] : []));
      await record(compareListing(known, listing), blindFolders);
      await withLeasedTx(parts.db, unit, (tx) => completeDelta(tx, scope.scopeId, null, parts.clock()));
      return {};
    }
    await takeUpUnobserved(parts, unit, scope.scopeId);
    try {
      if (scope.deltaCursor === null) throw new DeltaCursorInvalid();
      let pageToken: string | null = null;
      for (let page = 0; page < DELTA_PAGES_MAX; page++) {
        const delta = await connector.listDelta(scope.externalId, scope.deltaCursor, pageToken, signal);
        await record(lastOfEach(delta.changes), []);
        if (delta.nextPageToken === null) {
          await withLeasedTx(parts.db, unit, (tx) =>
            completeDelta(tx, scope.scopeId, delta.deltaCursor, parts.clock()),
          );
          return {};
        }
        pageToken = delta.nextPageToken;
      }
      throw new DeltaCursorInvalid();
    } catch (error) {
      if (!(error instanceof DeltaCursorInvalid)) throw error;
      parts.log.info('delta_resync_required', {
        tenantId: unit.tenantId,
        scopeId: scope.scopeId,
        campaignId: unit.campaignId,
      });
      const payload: PagePayload = { page: 0, pageToken: null, prefix: 'resync:' };
      const added = await withLeasedTx(parts.db, unit, async (tx) => {
        await invalidateCursor(tx, scope.scopeId);
        const first = { kind: 'inventory_page' as const, logicalKey: 'resync:page:0', payload };
        return enqueueUnits(tx, unit.campaignId, [first], parts.clock());
      });
      await ring(parts, added);
      return {};
    }
  };

async function sourceOf(parts: ScanParts, unit: WorkUnit) {
  const scope = await withTx(parts.db, { tenantId: unit.tenantId, mode: 'read' }, (tx) =>
    scopeOfCampaign(tx, unit.campaignId),
  );
  if (scope === null) throw new UnitFailure('permanent', 'scope_gone');
  return { scope, connector: parts.connectorFor(unit.tenantId, scope.family) };
}

/** A feed names a change once: what an earlier campaign listed and never got to look at is taken up by this one. */
async function takeUpUnobserved(parts: ScanParts, unit: WorkUnit, scopeId: ScopeId): Promise<void> {
  let last: AssetId | null | undefined = null;
  while (last !== undefined) {
    const after: AssetId | null = last;
    const { assets, added } = await withLeasedTx(parts.db, unit, async (tx) => {
      const assets = await unobservedAssets(tx, scopeId, after, RECORDED_AT_ONCE);
      return { assets, added: await enqueueAssets(tx, unit.campaignId, assets, parts.clock()) };
    });
    await ring(parts, added);
    last = assets.length < RECORDED_AT_ONCE ? undefined : assets.at(-1)?.assetId;
  }
}

/** A source may name an item more than once in one answer; the last word holds. */
const lastOfEach = (changes: readonly DeltaChange[]) => [
  ...new Map(
    changes.map((change) => [change.type === 'upsert' ? change.item.externalId : change.externalId, change]),
  ).values(),
];

async function wholeListing(
  connector: Connector,
  scopeId: string,
  signal: AbortSignal,
): Promise<SourceItem[]> {
  const items: SourceItem[] = [];
  let pageToken: string | null = null;
  do {
    const page = await connector.listItems(scopeId, pageToken, signal);
    items.push(...page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== null);
  return items;
}

async function recordItems(
  tx: Tx,
  campaignId: CampaignId,
  scopeId: ScopeId,
  listed: readonly SourceItem[],
  now: number,
): Promise<number> {
  const items = [...new Map(listed.map((item) => [item.externalId, item])).values()];
  return enqueueAssets(tx, campaignId, await upsertListedAssets(tx, scopeId, campaignId, items, now), now);
}

/** One unit per asset and version, so that an asset that changes again within a campaign is looked at again. */
function enqueueAssets(
  tx: Tx,
  campaignId: CampaignId,
  assets: readonly ListedAsset[],
  now: number,
): Promise<number> {
  const units = assets.map(({ assetId, sourceVersion }) => ({
    kind: 'process_asset' as const,
    // Versions are the source's own words, of any length.
    logicalKey: `asset:${assetId}:${createHash('sha256').update(sourceVersion).digest('base64url')}`,
    payload: { assetId },
  }));
  return enqueueUnits(tx, campaignId, units, now);
}
