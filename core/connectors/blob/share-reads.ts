import type { Permissions } from '../connector.ts';
import type { ContainerReads } from '../container-connector.ts';
import { nextPageToken, placeOf } from '../page-token.ts';
import type { BlobCalls } from './blob-calls.ts';
import { UNKNOWN_EXPOSURE } from './blob-exposure.ts';
import { assertCredential, containerRefused } from './blob-refusal.ts';
import { dropOldest } from './drop-oldest.ts';
import { refusedOfShare } from './refused-rights.ts';
import { readRanges } from './share-content.ts';
import { createShareGrants } from './share-grants.ts';
import { type DirectoryPage, directoryPageFrom, type SharedFile } from './share-listing.ts';
import { addressOf, sharePath } from './share-path.ts';
import { type ListDirectory, walkPage } from './share-walk.ts';

const LISTED = {
  restype: 'directory',
  comp: 'list',
  maxresults: '200',
  // Without them the service gives no times, or the first day of the year 1.
  include: 'Timestamps,ETag,Attributes,PermissionKey',
};
/** Gives the size of a file that a client has open, and the id of each file. */
const EXTENDED = { 'x-ms-file-extended-info': 'true' };
/** Pages of the open directories of a walk, which it comes back to. */
const PAGES_KEPT = 32;
const PAGES_KEPT_MS = 30_000;
const MAX_MORE = 3;
/** The service may answer with pages without the file before the one that has it. */
const MAX_PAGES = 20;

const GONE = new Set(['ResourceNotFound', 'ParentNotFound', 'ResourceTypeMismatch']);

/** Reads of one share of files: its current state, and no snapshot of it. */
export function createShareReads(calls: BlobCalls, share: string): ContainerReads {
  const pages = new Map<string, { page: DirectoryPage | null; until: number }>();
  const grantsTo = createShareGrants(calls, share);

  const list = async (
    directory: readonly string[],
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<DirectoryPage | null> => {
    const address = `/${share}${addressOf(directory)}`;
    const answer = await calls.get(address, { ...LISTED, ...query }, signal, { headers: EXTENDED });
    const { status, code, bytes } = answer;
    if (status === 200 && bytes !== null)
      return directoryPageFrom(bytes, directory, (path) => calls.urlOf(`/${share}${path}`));
    assertCredential(answer);
    if (directory.length > 0 && (status === 404 || status === 409) && GONE.has(code)) return null;
    throw containerRefused(answer, query);
  };

  /** What was added meanwhile must not push a directory out of the page, so it goes on to its last one. */
  const listedAgain: ListDirectory = async (directory, { marker, size, last }, signal) => {
    const maxresults = String(size);
    let page = await list(directory, { maxresults, ...(marker !== '' && { marker }) }, signal);
    const directories = [...(page?.directories ?? [])];
    for (let more = 0; more < MAX_MORE && page !== null && page.marker !== null; more++) {
      if (directories.includes(last)) break;
      page = await list(directory, { maxresults, marker: page.marker }, signal);
      directories.push(...(page?.directories ?? []));
    }
    return page && { ...page, directories };
  };

  const walked: ListDirectory = async (directory, { marker, size, isKnown, last }, signal) => {
    const key = `${addressOf(directory)}\n${size}\n${marker}`;
    const known = pages.get(key);
    pages.delete(key);
    const page =
      isKnown && known !== undefined && performance.now() < known.until
        ? known.page
        : isKnown
          ? await listedAgain(directory, { marker, size, isKnown, last }, signal)
          : await list(directory, { maxresults: String(size), ...(marker !== '' && { marker }) }, signal);
    pages.set(key, { page, until: performance.now() + PAGES_KEPT_MS });
    dropOldest(pages, PAGES_KEPT);
    return page;
  };

  const find = async (path: string, signal: AbortSignal): Promise<SharedFile | null> => {
    if (sharePath(path) === null) return null;
    const directory = path.split('/');
    const prefix = directory.pop() ?? '';
    let page = await list(directory, { prefix }, signal);
    for (let read = 1; page !== null; read++) {
      const found = page.files.find(({ item }) => item.externalId === path);
      if (found !== undefined) return found;
      if (page.marker === null || read === MAX_PAGES) return null;
      page = await list(directory, { prefix, marker: page.marker }, signal);
    }
    return null;
  };

  const permissions = async (path: string, signal: AbortSignal): Promise<Permissions> => {
    const file = await find(path, signal);
    if (file === null) return UNKNOWN_EXPOSURE;
    return { grants: await grantsTo(file.permissionKey, signal), complete: false };
  };

  return {
    name: share,
    kind: 'share',
    refusedRights: (signal) => refusedOfShare(calls, share, signal),
    page: async (pageToken, signal) => {
      const given = placeOf(`files/${share}`, pageToken);
      const { files, leftOut, place } = await walkPage(given?.marker ?? null, walked, signal);
      return {
        items: files.map(({ item }) => item),
        leftOut,
        nextPageToken: nextPageToken(`files/${share}`, given, place, 'blob_marker_repeated'),
        deltaCursor: null,
      };
    },
    item: async (path, signal) => (await find(path, signal))?.item ?? null,
    permissions,
    content: async (path, maxBytes, signal) => {
      const address = sharePath(path);
      if (address === null) return { state: 'inaccessible' };
      const content = await readRanges(calls, `/${share}${address}`, maxBytes, signal);
      // A share that is gone or refused answers as a file that is.
      if (content.state === 'inaccessible') await list([], { maxresults: '1' }, signal);
      return content;
    },
  };
}
