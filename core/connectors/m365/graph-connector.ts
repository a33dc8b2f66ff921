import type { Clock } from '../../kernel/clock.ts';
import type { LeftOut } from '../../kernel/vocabulary.ts';
import { untilAborted } from '../abort.ts';
import {
  ConnectorError,
  type ContentRead,
  type DeltaChange,
  type FeedConnector,
  type InventoryPage,
  type Permissions,
  type SensitivityLabel,
  type SourceItem,
} from '../connector.ts';
import { latestChanges } from '../latest-changes.ts';
import { readFeed } from './drive-delta.ts';
import { type Entry, entryOf, ITEM_FIELDS } from './drive-items.ts';
import { DriveItem, ITEM_ID } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';
import type { GraphCloud } from './graph-cloud.ts';
import { readCatalogue, readLabel } from './labels.ts';
import { readPermissions } from './permissions.ts';
import { listLibraries, type SiteSelection } from './sites.ts';
import { graphNotifications } from './subscriptions.ts';

export type GraphConnectorOptions = {
  client: GraphClient;
  cloud: GraphCloud;
  sites: SiteSelection;
  /** Whether labels of items are read. They are unknown otherwise. */
  readsLabels: boolean;
  clock: Clock;
};

/** Graph reports sharing incompletely, so an inventory reads permissions that are older than this again. */
const PERMISSIONS_VALID_MS = 7 * 24 * 60 * 60_000;
/** How long the catalogue of labels is taken for true. */
const CATALOGUE_MS = 10 * 60_000;
/** How long it is waited for. */
const CATALOGUE_WITHIN_MS = 2 * 60_000;

/**
 * Reads the document libraries of Microsoft 365. A scope is one library. Its walk is a delta from the beginning, so the
 * feed goes on where the walk ended.
 */
export function createGraphConnector({
  client,
  cloud,
  sites,
  readsLabels,
  clock,
}: GraphConnectorOptions): FeedConnector {
  const catalogue = keptCatalogue(client, clock);
  const withItem = <T>(itemId: string, absent: T, read: () => Promise<T>): Promise<T> =>
    ITEM_ID.test(itemId) ? read() : Promise.resolve(absent);

  return {
    family: 'm365',
    mode: 'live',
    delta: 'feed',
    permissionsValidMs: PERMISSIONS_VALID_MS,
    notifications: graphNotifications(client, clock),

    listScopes: (pageToken, signal) => listLibraries({ client, cloud, sites }, pageToken, signal),

    listLabels: async (signal) => (await catalogue(signal)) ?? [],

    listItems: async (driveId, pageToken, signal) => {
      const { entries, ...page } = await readFeed({ client, cloud, driveId }, pageToken, signal);
      return { ...inventoryOf(await identified(client, driveId, entries, signal)), ...page };
    },

    listDelta: async (driveId, cursor, pageToken, signal) => {
      const { entries, ...page } = await readFeed({ client, cloud, driveId }, pageToken ?? cursor, signal);
      const known = await identified(client, driveId, entries, signal);
      return { changes: known.flatMap(changesOf), leftOut: leftOut(known), ...page };
    },

    getItem: (driveId, itemId, signal) =>
      withItem(itemId, null, () => readItem(client, { driveId, itemId }, signal)),

    getPermissions: (driveId, itemId, signal) =>
      withItem<Permissions | 'denied'>(itemId, { grants: [], complete: false }, () =>
        readPermissions(client, { driveId, itemId }, clock(), signal),
      ),

    getLabel: async (driveId, itemId, signal) => {
      if (!readsLabels || !ITEM_ID.test(itemId)) return { state: 'unknown' };
      const nameOf = async (guid: string) =>
        (await nameable(() => catalogue(signal)))?.find((label) => label.guid === guid)?.name ?? guid;
      return readLabel(client, { driveId, itemId }, nameOf, signal);
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
    expect: [403, 404, 410, 423],
    signal,
  });
  if (!answer.ok) return answer.status === 403 || answer.status === 423 ? 'denied' : null;
  const entry = entryOf(answer.body);
  return entry.type === 'item' ? entry.item : null;
}

/**
 * The entries of a page. A feed may leave out what tells whether a content has changed; such files are asked for, 20 at
 * once.
 */
function identified(
  client: GraphClient,
  driveId: string,
  entries: readonly (DriveItem | null)[],
  signal: AbortSignal,
): Promise<Entry[]> {
  return Promise.all(
    entries.map(async (entry) => {
      if (!entry?.file || entry.cTag || entry.deleted || entry.remoteItem) return entryOf(entry);
      const answer = await client.batched(
        'item',
        { driveId, itemId: entry.id },
        {
          query: { $select: 'id,eTag,cTag,size,file' },
          schema: DriveItem,
          expect: [403, 404, 410, 423],
          signal,
        },
      );
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

function changesOf(entry: Entry): DeltaChange[] {
  if (entry.type === 'item') {
    const { item, folder } = entry;
    return [...(folder ? [{ type: 'folder', folder } as const] : []), { type: 'upsert', item }];
  }
  if (entry.type === 'folder') return [{ type: 'folder', folder: entry.folder }];
  return entry.type === 'gone' ? [{ type: 'delete', externalId: entry.externalId }] : [];
}

/** The catalogue, read again when it is old. Concurrent readers share one call. */
function keptCatalogue(
  client: GraphClient,
  clock: Clock,
): (signal: AbortSignal) => Promise<SensitivityLabel[] | null> {
  let kept: { labels: SensitivityLabel[] | null; at: number } | null = null;
  let reading: Promise<SensitivityLabel[] | null> | undefined;
  const read = async () => {
    try {
      // One reader that gives up does not end it for the others.
      const labels = await readCatalogue(client, AbortSignal.timeout(CATALOGUE_WITHIN_MS));
      kept = { labels, at: clock() };
      return labels;
    } finally {
      reading = undefined;
    }
  };
  return async (signal) => {
    if (kept !== null && clock() - kept.at <= CATALOGUE_MS) return kept.labels;
    return untilAborted(signal, () => {
      reading ??= read();
      return reading;
    });
  };
}

/** A label whose name cannot be told is known by its id. Only what may pass is tried again. */
async function nameable(read: () => Promise<SensitivityLabel[] | null>): Promise<SensitivityLabel[] | null> {
  try {
    return await read();
  } catch (error) {
    const stays =
      error instanceof ConnectorError && (error.retryClass === 'permanent' || error.retryClass === 'auth');
    if (stays) return null;
    throw error;
  }
}
