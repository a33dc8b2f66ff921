import type { Clock } from '../../kernel/clock.ts';
import type { LeftOut } from '../../kernel/vocabulary.ts';
import {
  ConnectorError,
  type ContentRead,
  type DeltaChange,
  type FeedConnector,
  type InventoryPage,
  type Permissions,
  type SharingMarks,
  type SourceItem,
} from '../connector.ts';
import { kept, orNull } from '../kept.ts';
import { latestChanges } from '../latest-changes.ts';
import { readFeed } from './drive-delta.ts';
import { type Entry, entryOf, ITEM_FIELDS, sharingOf } from './drive-items.ts';
import { DriveItem, DriveQuota, ITEM_ID } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';
import type { GraphCloud } from './graph-cloud.ts';
import { readCatalogue, readLabel } from './labels.ts';
import { keptOrganization, ourTenantId } from './organization.ts';
import { readPermissions } from './permissions.ts';
import { listPersonalDrives } from './personal-drives.ts';
import { surelyReportsSharing } from './reports-sharing.ts';
import { assertServed, REFUSED } from './scope-refusal.ts';
import { listLibraries, type SiteSelection } from './sites.ts';
import { graphNotifications } from './subscriptions.ts';

/** Document libraries by their sites, or personal drives one by one: never all. */
export type SuiteSelection =
  | { family: 'm365'; sites: SiteSelection }
  | { family: 'drive'; drives: readonly string[] };

export type GraphConnectorOptions = {
  client: GraphClient;
  cloud: GraphCloud;
  selected: SuiteSelection;
  /** As configured. For a domain name, which has a dot, the directory has the id. */
  tenantId: string | null;
  /** Whether labels of items are read. They are unknown otherwise. */
  readsLabels: boolean;
  clock: Clock;
};

/** How long the catalogue of labels is taken for true. */
const CATALOGUE_MS = 10 * 60_000;
/** How long the permissions of the application are taken for true: as long as a token holds them. */
const REPORTS_SHARING_MS = 60 * 60_000;

/**
 * Reads the document libraries or the personal drives of Microsoft 365. A scope is one of them. Its walk is a delta from
 * the beginning, so the feed goes on where the walk ended. Notifications of changes are for libraries alone.
 */
export function createGraphConnector({
  client,
  cloud,
  selected,
  tenantId,
  readsLabels,
  clock,
}: GraphConnectorOptions): FeedConnector {
  const catalogue = kept(clock, CATALOGUE_MS, (signal) => readCatalogue(client, signal));
  const organization = keptOrganization(client, clock);
  const withItem = <T>(itemId: string, absent: T, read: () => Promise<T>): Promise<T> =>
    ITEM_ID.test(itemId) ? read() : Promise.resolve(absent);

  return {
    family: selected.family,
    mode: 'live',
    delta: 'feed',
    inheritsPermissions: true,
    reportsSharing: kept(clock, REPORTS_SHARING_MS, (signal) => surelyReportsSharing(client, signal)),
    ...(selected.family === 'm365' && { notifications: graphNotifications(client, clock) }),

    listScopes: (pageToken, signal) =>
      selected.family === 'm365'
        ? listLibraries({ client, cloud, sites: selected.sites }, pageToken, signal)
        : listPersonalDrives(client, selected.drives, pageToken, signal),

    listLabels: async (signal) => (await catalogue(signal)) ?? [],

    listItems: async (driveId, pageToken, signal) => {
      const { entries, ...page } = await readFeed({ client, cloud, driveId }, pageToken, signal);
      const listed = inventoryOf(await identified(client, driveId, entries, signal));
      return { ...listed, sharing: sharingIn(entries), ...page };
    },

    countedBytes: async (driveId, signal) => {
      const query = { $select: 'quota' };
      const answer = await client.call(
        'drive',
        { driveId },
        { query, schema: DriveQuota, expect: REFUSED, signal },
      );
      return answer.ok ? (answer.body.quota?.used ?? null) : null;
    },

    listDelta: async (driveId, cursor, pageToken, signal) => {
      const { entries, ...page } = await readFeed({ client, cloud, driveId }, pageToken ?? cursor, signal);
      const known = await identified(client, driveId, entries, signal);
      return { changes: known.flatMap(changesOf), leftOut: leftOut(known), ...page };
    },

    getItem: (driveId, itemId, signal) =>
      withItem(itemId, null, () => readItem(client, { driveId, itemId }, signal)),

    getPermissions: (driveId, itemId, signal) =>
      withItem<Permissions | 'denied'>(itemId, { grants: [], complete: false }, async () => {
        const ownDomains = (await organization(signal))?.domains ?? null;
        return readPermissions(client, { driveId, itemId }, { ownDomains, now: clock() }, signal);
      }),

    getLabel: async (driveId, itemId, signal) => {
      if (!readsLabels || !ITEM_ID.test(itemId)) return { state: 'unknown' };
      const nameOf = async (guid: string) =>
        (await orNull(() => catalogue(signal)))?.find((label) => label.guid === guid)?.name ?? guid;
      const ourTenant = () => ourTenantId(tenantId, () => organization(signal));
      return readLabel(client, { driveId, itemId }, { nameOf, ourTenant }, signal);
    },

    readContent: (driveId, itemId, maxBytes, signal) =>
      withItem<ContentRead>(itemId, { state: 'inaccessible' }, () =>
        client.download({ driveId, itemId }, maxBytes, signal),
      ),
  };
}

async function readItem(
  client: GraphClient,
  values: { driveId: string; itemId: string },
  signal: AbortSignal,
): Promise<SourceItem | 'denied' | null> {
  const answer = await client.batched('item', values, {
    query: { $select: ITEM_FIELDS },
    schema: DriveItem,
    expect: REFUSED,
    signal,
  });
  if (!answer.ok) {
    await assertServed(client, values.driveId, signal);
    if (answer.status === 400) throw new ConnectorError('permanent', 'graph_item_400');
    return answer.status === 403 || answer.status === 423 ? 'denied' : null;
  }
  // A part of an item would pass for another item, or for none.
  if (!answer.body.name) throw new ConnectorError('transient', 'graph_item_malformed');
  const entry = entryOf(answer.body);
  return entry.type === 'item' ? entry.item : null;
}

/**
 * The entries of a page. A feed may leave out what shows whether a content has changed, and has ghosts: entries with an id
 * and a facet alone. Such entries are asked for, 20 at once. What stays without a name is left out, so that nothing known
 * is replaced by what is missing.
 */
function identified(
  client: GraphClient,
  driveId: string,
  entries: readonly (DriveItem | null)[],
  signal: AbortSignal,
): Promise<Entry[]> {
  return Promise.all(
    entries.map(async (entry) => {
      if (entry === null || entry.root || entry.deleted || entry.remoteItem) return entryOf(entry);
      if (entry.name && (!entry.file || entry.cTag)) return entryOf(entry);
      const answer = await client.batched(
        'item',
        { driveId, itemId: entry.id },
        {
          query: { $select: entry.name ? 'id,eTag,cTag,size,file' : ITEM_FIELDS },
          schema: DriveItem,
          expect: [403, 404, 410, 423],
          signal,
        },
      );
      if (!entry.name) return entryOf(answer.ok && answer.body.name ? answer.body : null);
      const { cTag, file } = answer.ok ? answer.body : entry;
      return entryOf({ ...entry, cTag, file: file ?? entry.file });
    }),
  );
}

const leftOut = (entries: readonly Entry[]): LeftOut[] =>
  entries.flatMap((entry) => (entry.type === 'left_out' ? [entry.reason] : []));

/** An item that was reported more than once is what it was reported as last. */
function inventoryOf(
  entries: readonly Entry[],
): Pick<InventoryPage, 'items' | 'folders' | 'gone' | 'leftOut'> {
  const latest = latestChanges(entries.flatMap(changesOf));
  return {
    items: latest.flatMap((change) => (change.type === 'upsert' ? [change.item] : [])),
    folders: latest.flatMap((change) => (change.type === 'folder' ? [change.folder] : [])),
    gone: latest.flatMap((change) => (change.type === 'delete' ? [change.externalId] : [])),
    leftOut: leftOut(entries),
  };
}

/** Of what is there. The last occurrence counts. */
const sharingIn = (entries: readonly (DriveItem | null)[]): SharingMarks =>
  Object.fromEntries(
    entries.flatMap((entry) => (entry === null || entry.deleted ? [] : [[entry.id, sharingOf(entry)]])),
  );

function changesOf(entry: Entry): DeltaChange[] {
  if (entry.type === 'item') {
    const { item, folder } = entry;
    return [...(folder ? [{ type: 'folder', folder } as const] : []), { type: 'upsert', item }];
  }
  if (entry.type === 'folder') return [{ type: 'folder', folder: entry.folder }];
  return entry.type === 'gone' ? [{ type: 'delete', externalId: entry.externalId }] : [];
}
