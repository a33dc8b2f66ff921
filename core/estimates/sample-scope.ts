import {
  type Connector,
  ConnectorError,
  DeltaCursorInvalid,
  type SourceFolder,
  type SourceItem,
} from '../connectors/connector.ts';
import { type Db, withTx } from '../db/tx.ts';
import type { ScopeId, TenantId } from '../kernel/ids.ts';
import { leavesOut, type Narrowing } from '../narrowing/left-out.ts';
import { placeOf } from '../scan/leave-out.ts';
import { pathsOfFolders } from '../scan/left-out.sql.ts';
import { NO_WORK, plus, type Way, type Work, workOf } from './expected-work.ts';
import { knownItems } from './known.sql.ts';

const MOST_PAGES = 25;

/** The first pages of what a scan would list. */
export type Sample = {
  way: Way;
  pages: number;
  folders: number;
  /** Items of the pages, how many of them the scan would leave out, and their bytes as the source lists them. */
  listed: number;
  leftOut: number;
  listedBytes: number;
  /** What the scan would do with the others. */
  work: Work;
  complete: boolean;
};

type Sampled = {
  db: Db;
  tenantId: TenantId;
  scope: { scopeId: ScopeId; externalId: string; deltaCursor: string | null };
  connector: Connector;
  narrowing: Narrowing;
  maxBytes: number;
};

/**
 * Reads at most 25 pages of the listing that a scan would begin with, and nothing of the items in it. A delta of a source
 * with a feed is sampled from its cursor; if the source does not know it any more, the whole scope is listed, as by the scan.
 * @param signal ends the sample: what was read until then counts
 * @returns null if the source did not answer the first page
 */
export async function sampleScope(
  parts: Sampled,
  kind: 'inventory' | 'delta',
  signal: AbortSignal,
): Promise<Sample | null> {
  const { connector, scope } = parts;
  if (kind === 'inventory' || connector.delta === 'comparison')
    return sampled(parts, kind === 'inventory' ? 'listing' : 'comparison', signal, async (token) => {
      const {
        items,
        folders = [],
        nextPageToken,
      } = await connector.listItems(scope.externalId, token, signal);
      return { items, folders, nextPageToken };
    });
  const { deltaCursor } = scope;
  if (deltaCursor === null) return sampleScope(parts, 'inventory', signal);
  try {
    return await sampled(parts, 'feed', signal, async (token) => {
      const { changes, nextPageToken } = await connector.listDelta(
        scope.externalId,
        deltaCursor,
        token,
        signal,
      );
      const items = changes.flatMap((change) => (change.type === 'upsert' ? [change.item] : []));
      const folders = changes.flatMap((change) => (change.type === 'folder' ? [change.folder] : []));
      return { items, folders, nextPageToken };
    });
  } catch (error) {
    if (!(error instanceof DeltaCursorInvalid)) throw error;
    return sampleScope(parts, 'inventory', signal);
  }
}

type Page = { items: readonly SourceItem[]; folders: readonly SourceFolder[]; nextPageToken: string | null };

async function sampled(
  parts: Sampled,
  way: Way,
  signal: AbortSignal,
  read: (pageToken: string | null) => Promise<Page>,
): Promise<Sample | null> {
  const sample: Sample = {
    way,
    pages: 0,
    folders: 0,
    listed: 0,
    leftOut: 0,
    listedBytes: 0,
    work: NO_WORK,
    complete: false,
  };
  const folders = new Map<string, SourceFolder>();
  let pageToken: string | null = null;
  do {
    let page: Page;
    try {
      page = await read(pageToken);
    } catch (error) {
      if (error instanceof DeltaCursorInvalid && way === 'feed' && sample.pages === 0) throw error;
      if (!(error instanceof ConnectorError) && !signal.aborted) throw error;
      return sample.pages === 0 ? null : sample;
    }
    for (const folder of page.folders) folders.set(folder.externalId, folder);
    sample.pages++;
    sample.folders += page.folders.length;
    await addItems(parts, sample, page.items, folders);
    pageToken = page.nextPageToken;
  } while (pageToken !== null && sample.pages < MOST_PAGES && !signal.aborted);
  return { ...sample, complete: pageToken === null };
}

async function addItems(
  { db, tenantId, scope, connector, narrowing, maxBytes }: Sampled,
  sample: Sample,
  items: readonly SourceItem[],
  folders: ReadonlyMap<string, SourceFolder>,
): Promise<void> {
  if (items.length === 0) return;
  const parents = items.flatMap(({ parentExternalId }) => parentExternalId ?? []);
  const { known, paths } = await withTx(db, { tenantId, mode: 'read' }, async (tx) => ({
    known: await knownItems(
      tx,
      scope.scopeId,
      items.map(({ externalId }) => externalId),
    ),
    paths: await pathsOfFolders(tx, scope.scopeId, parents),
  }));
  for (const parent of parents) {
    const path = pathIn(folders, parent);
    if (path !== null) paths.set(parent, path);
  }
  const reasonOf = leavesOut(narrowing);
  for (const item of items) {
    sample.listed++;
    sample.listedBytes += item.sizeBytes;
    if (reasonOf({ ...item, path: placeOf(item, paths) }) !== null) sample.leftOut++;
    else {
      const how = { way: sample.way, inherits: connector.inheritsPermissions, maxBytes };
      sample.work = plus(sample.work, workOf(item, known.get(item.externalId) ?? null, how));
    }
  }
}

/** The path of a folder, if all folders above it are among these. */
function pathIn(folders: ReadonlyMap<string, SourceFolder>, externalId: string): string | null {
  const names: string[] = [];
  let at = folders.get(externalId);
  while (at !== undefined && at.parentExternalId !== null && names.length < folders.size) {
    names.unshift(at.name);
    at = folders.get(at.parentExternalId);
  }
  return at?.parentExternalId === null ? names.join('/') : null;
}
