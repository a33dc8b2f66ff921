import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { systemClock } from '../../kernel/clock.ts';
import { untilAborted } from '../abort.ts';
import {
  type ComparisonConnector,
  ConnectorError,
  type ContentRead,
  DeltaCursorInvalid,
  type InventoryPage,
  type Permissions,
  type SourceItem,
  type SourceScope,
} from '../connector.ts';
import { kept } from '../kept.ts';
import { accessLists } from './read-access-list.ts';
import {
  assertPresent,
  isPlainPath,
  locateRoot,
  openShare,
  type Share,
  shareIn,
  statEntry,
} from './share.ts';
import { ioFailure, refusalOf } from './share-error.ts';
import { itemOf, permissionsOf } from './share-item.ts';
import { missingPaths } from './share-names.ts';
import { decodePath, displayName, encodePath, fromText, isSafePath } from './share-path.ts';
import { readShareFile } from './share-read.ts';
import { usedBytes } from './share-usage.ts';
import { isWalked, type ShareEntry, type Walk, type WalkMemory, walkShare } from './share-walk.ts';

export type SmbOptions = {
  /** The folder in which the shares are mounted. */
  root: string;
  /** The selected folders below it, with `/`. `.` is the root itself. None may contain another. */
  shares: readonly string[];
  /** The program that reads extended attributes. Absent: `getfattr` of the host. */
  getfattr?: string;
};

const PAGE_SIZE = 200;
/** How long the place to which the root leads is kept. Looking it up costs as much as another read of a small file. */
const ROOT_KEPT_MS = 1_000;
const UNKNOWN_PERMISSIONS: Permissions = { grants: [], complete: false };

/**
 * Reads a folder that the operating system has mounted. Identity is the path, so a rename is a deletion and an
 * addition, unless it changes case alone.
 * Items are regular files, including hidden ones. A folder that cannot be entered is an item of kind `folder` without
 * content, so that it is visible. Other folders are not items. Symbolic links are neither listed nor followed, and
 * special files are never opened.
 */
export function createSmbConnector(options: SmbOptions): ComparisonConnector {
  const root = fromText(options.root);
  const folders = new Map(
    selectFolders(options.shares).map((folder) => [scopeIdOf(options.root, folder), folder]),
  );
  const memories = new Map<string, WalkMemory>();
  const realRoot = kept(systemClock, ROOT_KEPT_MS, () => locateRoot(root));
  const accessListOf = accessLists(options.getfattr ?? 'getfattr');

  const withFolder = <T>(scopeId: string, signal: AbortSignal, run: (folder: string) => Promise<T>) =>
    untilAborted(signal, async () => {
      const folder = folders.get(scopeId);
      if (folder === undefined) throw new ConnectorError('permanent', 'scope_unknown');
      return run(folder);
    });
  const withItem = <T>(scopeId: string, externalId: string, signal: AbortSignal, reading: Reading<T>) =>
    withFolder(scopeId, signal, async (folder) => {
      const last = shareIn(await realRoot(signal), folder);
      return readItem(last, () => openShare(root, folder), externalId, reading);
    });

  return {
    family: 'smb',
    mode: 'live',
    delta: 'comparison',
    scopeIds: new Set(folders.keys()),

    countedBytes: (scopeId, signal) =>
      withFolder(scopeId, signal, async (folder) => usedBytes(await openShare(root, folder))),

    listScopes: (pageToken, signal) =>
      untilAborted(signal, async () => {
        if (pageToken !== null) throw new DeltaCursorInvalid();
        const scopes = Array.from(folders, ([externalId, folder]): SourceScope => {
          const name = folder === '' ? basename(options.root) || '/' : displayName(folder);
          return { externalId, name, kind: 'share' };
        });
        return { scopes, nextPageToken: null };
      }),

    listLabels: async () => [],

    listItems: (scopeId, pageToken, signal) =>
      withFolder(scopeId, signal, async (folder) => {
        const share = await openShare(root, folder);
        const after = pageToken === null ? null : decodePath(pageToken);
        if (pageToken !== null && after === null) throw new ConnectorError('permanent', 'page_token_invalid');
        // A new walk uses no memory, or it would miss changes since the last walk.
        const memory = (after === null ? undefined : memories.get(scopeId)) ?? { last: null };
        memories.set(scopeId, memory);
        const page = await listPage({ share, memory, signal }, after);
        if (page.nextPageToken === null) memories.delete(scopeId);
        return page;
      }),

    missingPaths: (scopeId, externalIds, signal) =>
      withFolder(scopeId, signal, async (folder) => {
        const share = await openShare(root, folder);
        const paths = externalIds.map(decodePath).filter((path) => path !== null);
        return new Set([...(await missingPaths(share, paths, signal))].map(encodePath));
      }),

    getItem: (scopeId, externalId, signal) =>
      withItem<SourceItem | 'denied' | null>(scopeId, externalId, signal, {
        read: (share, path) => itemAt(share, path, signal),
        absent: null,
        denied: 'denied',
      }),

    getPermissions: (scopeId, externalId, signal) =>
      withItem(scopeId, externalId, signal, {
        read: async (share, path) => {
          const stat = await statEntry(share, path);
          if (!(await isPlainPath(share, path))) return null;
          return permissionsOf(stat, await accessListOf(share, path, signal));
        },
        absent: UNKNOWN_PERMISSIONS,
        denied: UNKNOWN_PERMISSIONS,
      }),

    getLabel: (scopeId, _externalId, signal) =>
      withFolder(scopeId, signal, async () => ({ state: 'unknown' })),

    readContent: (scopeId, externalId, maxBytes, signal) =>
      withItem<ContentRead>(scopeId, externalId, signal, {
        read: (share, path) => readShareFile(share, path, maxBytes, signal),
        absent: { state: 'inaccessible' },
        denied: { state: 'inaccessible' },
      }),
  };
}

/**
 * How an item is read. `read` returns null if there is no such item. `absent` and `denied` are the results for a
 * missing and a refused item.
 */
type Reading<T> = { read: (share: Share, path: string) => Promise<T | null>; absent: T; denied: T };

/**
 * Reads the item at the path of its id where the share was last found. If it is not there, checks whether the share is
 * reachable, and reads it where the share is now.
 */
async function readItem<T>(
  last: Share,
  open: () => Promise<Share>,
  externalId: string,
  reading: Reading<T>,
): Promise<T> {
  const path = decodePath(externalId);
  if (path === null) return reading.absent;
  const first = await readAt(last, path, reading);
  if (first.isFound) return first.value;
  const now = await open();
  return now.base === last.base ? first.value : (await readAt(now, path, reading)).value;
}

async function readAt<T>(
  share: Share,
  path: string,
  { read, absent, denied }: Reading<T>,
): Promise<{ isFound: boolean; value: T }> {
  try {
    const found = await read(share, path);
    return found === null ? { isFound: false, value: absent } : { isFound: true, value: found };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === 'failed') throw ioFailure(error);
    return { isFound: false, value: refusal === 'denied' ? denied : absent };
  }
}

/** A regular file, or a folder that cannot be entered. Null for anything else. */
async function itemAt(share: Share, path: string, signal: AbortSignal): Promise<SourceItem | null> {
  const stat = await statEntry(share, path);
  if (!(await isPlainPath(share, path))) return null;
  if (stat.isFile()) return itemOf(path, 'file', stat);
  return stat.isDirectory() && !(await isWalked(share, path, signal)) ? itemOf(path, 'folder', stat) : null;
}

/**
 * A folder below the root keeps its scope id wherever the root is mounted. The root has no name, so its id is a hash
 * of its location. Otherwise, scanning one folder and then another would look like the deletion of everything in the
 * first.
 */
const scopeIdOf = (root: string, folder: string) =>
  folder === '' ? `.${createHash('sha256').update(resolve(root)).digest('base64url')}` : encodePath(folder);

/** The selection as paths below the root, in byte order. Overlapping folders would give a file two identities. */
function selectFolders(shares: readonly string[]): string[] {
  const folders = shares.map((share) => (share === '.' ? '' : fromText(share))).sort();
  for (const [at, folder] of folders.entries()) {
    const before = folders.slice(0, at);
    if (folder !== '' && !isSafePath(folder))
      throw new ConnectorError('permanent', 'share_selection_invalid');
    if (before.some((outer) => outer === '' || outer === folder || folder.startsWith(`${outer}/`)))
      throw new ConnectorError('permanent', 'share_selection_overlaps');
  }
  return folders;
}

async function listPage(walk: Walk, after: string | null): Promise<InventoryPage> {
  const entries: ShareEntry[] = [];
  let more = false;
  for await (const entry of walkShare(walk, after)) {
    more = entries.length === PAGE_SIZE;
    if (more) break;
    entries.push(entry);
  }
  const items = await Promise.all(entries.map((entry) => observe(walk.share, entry)));
  const last = entries.at(-1);
  return {
    items: items.filter((item) => item !== null),
    leftOut: entries.flatMap(({ isOutOfBounds }) => (isOutOfBounds ? ['path_bound'] : [])),
    nextPageToken: more && last !== undefined ? encodePath(last.path) : null,
    deltaCursor: null,
  };
}

/** Null if the entry disappeared since its folder was read, became something else, or may not be read. */
async function observe(share: Share, entry: ShareEntry): Promise<SourceItem | null> {
  try {
    const stat = await statEntry(share, entry.path);
    const unchanged = entry.kind === 'file' ? stat.isFile() : stat.isDirectory();
    return unchanged ? itemOf(entry.path, entry.kind, stat) : null;
  } catch (error) {
    if (refusalOf(error) === 'failed') throw ioFailure(error);
    await assertPresent(share);
    return null;
  }
}
