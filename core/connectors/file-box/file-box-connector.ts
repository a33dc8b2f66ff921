import type { Clock } from '../../kernel/clock.ts';
import { digest } from '../../kernel/digest.ts';
import { untilAborted } from '../abort.ts';
import { waitWhile } from '../cloud-http/persist.ts';
import { type Connector, ConnectorError, type InventoryPage, type SourceItem } from '../connector.ts';
import { BOX_ID } from './box-answers.ts';
import { deltaPage, feedNow } from './box-delta.ts';
import { folderOf } from './box-item.ts';
import { type BoxReadsParts, createBoxReads, listFolders } from './box-reads.ts';
import { walkOn } from './box-walk.ts';
import { folderSharing } from './folder-sharing.ts';
import { scopeFolder } from './scope-refusal.ts';
import { decoded, encoded, WalkPlace } from './walk-place.ts';

export type FileBoxOptions = Omit<BoxReadsParts, 'sharing'> & {
  /** Names whose root folder `0` is: the enterprise or the person that is read as. */
  account: string;
  /** Ids of the selected folders. `0` is all files of the account. */
  folders: readonly string[];
  /** Whether the events of the enterprise are the feed. Without them a delta compares a walk. */
  readsEvents: boolean;
  clock: Clock;
  /** How long the sharing of a folder is kept. Shorter in tests. */
  sharingKeptMs?: number;
};

const SHARING_KEPT_MS = 5_000;

/**
 * Reads selected folders of Box, each a scope with all that is in it. A walk lists one folder a call. With events, folders are
 * reported too, so a renamed folder is one change. Without, the path of a file is a part of its version.
 */
export function createFileBoxConnector({
  account,
  folders,
  readsEvents,
  sharingKeptMs = SHARING_KEPT_MS,
  ...parts
}: FileBoxOptions): Connector & { scopeIds: ReadonlySet<string> } {
  const { reader, admin, clock } = parts;
  const selected = new Map([...new Set(folders)].sort().map((id) => [fileBoxScopeId(account, id), id]));
  const sharing = folderSharing(reader, clock, sharingKeptMs);
  const reads = createBoxReads({ ...parts, sharing });
  const feed = { reader, events: admin, clock };

  const inFolder = <T>(scopeId: string, signal: AbortSignal, run: (folderId: string) => Promise<T>) =>
    untilAborted(signal, async () => {
      const folderId = selected.get(scopeId);
      if (folderId === undefined) throw new ConnectorError('permanent', 'scope_unknown');
      if (!BOX_ID.test(folderId)) throw new ConnectorError('permanent', 'box_selection_invalid');
      return run(folderId);
    });

  const walk = async (folderId: string, pageToken: string | null, signal: AbortSignal) => {
    const place = pageToken === null ? null : decoded(WalkPlace, pageToken);
    // Before the walk, so that what changes during the walk is reported after it.
    const began = place === null && readsEvents ? await feedNow(feed, signal) : (place?.feed ?? null);
    if (place === null) await scopeFolder(reader, folderId, 'type,id', signal);
    const walked = await walkOn(reader, folderId, place?.frames ?? [folderId], signal);
    return { began, isFirst: place === null, walked, isLast: walked.frames.length === 0 };
  };

  const common = {
    family: 'file_box',
    mode: 'live',
    inheritsPermissions: true,
    scopeIds: new Set(selected.keys()),
    listScopes: (pageToken, signal) =>
      untilAborted(signal, () => listFolders(reader, selected, pageToken, signal)),
    listLabels: (signal) => untilAborted(signal, () => reads.labels(signal)),
    listItems: (scopeId, pageToken, signal) =>
      inFolder(scopeId, signal, async (folderId): Promise<InventoryPage> => {
        const { began, isFirst, walked, isLast } = await walk(folderId, pageToken, signal);
        const { items, folders: listed, leftOut, frames } = walked;
        const top = isFirst ? [folderOf({ id: folderId }, null, folderId)] : [];
        return {
          items: readsEvents ? items : items.map(byPath),
          ...(readsEvents && { folders: [...top, ...listed] }),
          leftOut,
          nextPageToken: isLast ? null : encoded({ frames, feed: began }),
          deltaCursor: isLast && began !== null ? encoded({ ...began, frames: [] }) : null,
        };
      }),
    getItem: (scopeId, externalId, signal) =>
      inFolder(scopeId, signal, async (folderId) => {
        const item = await reads.item(folderId, externalId, signal);
        return item === null || item === 'denied' || readsEvents ? item : byPath(item);
      }),
    getPermissions: (scopeId, externalId, signal) =>
      inFolder(scopeId, signal, (folderId) => reads.permissions(folderId, externalId, signal)),
    getLabel: (scopeId, externalId, signal) =>
      inFolder(scopeId, signal, (folderId) => reads.label(folderId, externalId, signal)),
    readContent: (scopeId, externalId, maxBytes, signal) =>
      inFolder(scopeId, signal, (folderId) => reads.content(folderId, externalId, maxBytes, signal)),
  } satisfies Omit<Connector, 'delta'> & { scopeIds: ReadonlySet<string> };

  if (!readsEvents) return { ...common, delta: 'comparison' };
  return {
    ...common,
    delta: 'feed',
    listDelta: (scopeId, cursor, pageToken, signal) =>
      inFolder(scopeId, signal, async (folderId) => {
        const { hasFolders, ...page } = await deltaPage(feed, folderId, pageToken ?? cursor, signal);
        if (hasFolders) {
          // Each process keeps the sharing of folders. What one has kept from before the change is old then.
          sharing.forget();
          await waitWhile(sharingKeptMs, signal);
        }
        return page;
      }),
  };
}

/** A folder keeps its id, whoever reads it. The root has the same one in each account. */
const fileBoxScopeId = (account: string, folderId: string): string =>
  folderId === '0' ? `0@${account}` : folderId;

/** Without folders, a file in a renamed folder is another version of it. */
const byPath = ({ parentExternalId: _, ...item }: SourceItem): SourceItem => ({
  ...item,
  sourceVersion: `${item.sourceVersion}.${digest(item.path)}`,
});
