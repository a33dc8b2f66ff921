import type { LeftOut } from '../../kernel/vocabulary.ts';
import { ConnectorError, DeltaCursorInvalid } from '../connector.ts';
import { isEmptyEnd, isEnd, type Noted } from '../page-token.ts';
import type { DirectoryPage, SharedFile } from './share-listing.ts';
import { MAX_PATH } from './share-path.ts';

/**
 * An open directory of a walk. `marker` is the page that is listed, '' for the first one, and `size` its most entries.
 * `entered` is the last directory of that page that the walk went into, '' if it went into none yet, and null before its
 * files are taken. `next` is the marker of the page after it, and `last` its last directory, both as they were when its
 * files were taken: a page that is listed again may have become longer or shorter.
 */
type Open = Noted & {
  name: string;
  marker: string;
  size: number;
  entered: string | null;
  next: string | null;
  last: string;
};

/** Lists a page of a directory, one that is known down to `last`. Null if there is no such directory. */
export type ListDirectory = (
  directory: readonly string[],
  page: { marker: string; size: number; isKnown: boolean; last: string },
  signal: AbortSignal,
) => Promise<DirectoryPage | null>;

const MAX_ITEMS = 200;
/** A page of fewer entries is not worth its listing. */
const MIN_SIZE = 20;
/** Directories may be empty, so a page of items has a bound of listings too. */
const MAX_LISTINGS = 100;
const MAX_PLACE = 64 * 1024;

/**
 * One page of a walk over a share, from a place on (null: from the beginning), and the next place. A page of a directory
 * gives its files first, then the walk enters its directories one by one. A directory that has gone meanwhile is left.
 */
export async function walkPage(
  place: string | null,
  list: ListDirectory,
  signal: AbortSignal,
): Promise<{ files: SharedFile[]; leftOut: LeftOut[]; place: string | null }> {
  const open: Open[] = place === null ? [opened('')] : (JSON.parse(place) as Open[]);
  const files: SharedFile[] = [];
  const leftOut: LeftOut[] = [];
  for (let listings = 0; listings < MAX_LISTINGS; listings++) {
    const directory = open.at(-1);
    if (directory === undefined) return { files, leftOut, place: null };
    const names = open.slice(1).map(({ name }) => name);
    if (names.join('/').length > MAX_PATH) throw new ConnectorError('permanent', 'blob_walk_too_deep');
    const isKnown = directory.entered !== null;
    if (!isKnown) {
      directory.size = MAX_ITEMS - files.length;
      if (directory.size < MIN_SIZE) break;
    }
    const page = await list(names, { ...directory, isKnown }, signal);
    if (page === null) {
      open.pop();
      continue;
    }
    if (directory.entered === null) {
      if (
        directory.marker !== '' &&
        isEmptyEnd(page) &&
        !(await isEnd(listing(names, directory, list, signal), directory))
      )
        throw new DeltaCursorInvalid();
      if (page.files.length > directory.size) throw new ConnectorError('transient', 'blob_listing_malformed');
      files.push(...page.files);
      leftOut.push(...page.leftOut);
      Object.assign(directory, { entered: '', next: page.marker, last: page.directories.at(-1) ?? '' });
      directory.after = page.last || directory.after;
    }
    // If the directory that was entered last is gone, the page is entered from its first directory again.
    const at = page.directories.indexOf(directory.entered ?? '');
    const next = at !== -1 && directory.entered === directory.last ? undefined : page.directories[at + 1];
    if (next !== undefined) {
      directory.entered = next;
      open.push(opened(next));
    } else if (directory.next === null) open.pop();
    else if (directory.next === directory.marker)
      throw new ConnectorError('transient', 'blob_marker_repeated');
    else {
      const before = directory.marker === '' ? null : directory.marker;
      Object.assign(directory, { before, marker: directory.next, entered: null });
    }
  }
  if (open.length === 0) return { files, leftOut, place: null };
  const next = JSON.stringify(open);
  if (next.length > MAX_PLACE) throw new ConnectorError('permanent', 'blob_walk_too_deep');
  return { files, leftOut, place: next };
}

const opened = (name: string): Open => ({
  name,
  marker: '',
  size: MAX_ITEMS,
  entered: null,
  next: null,
  last: '',
  after: '',
  before: null,
});

/** Lists pages of a directory for the check of its end. One that is gone has no entries. */
const listing =
  (names: readonly string[], { size, last }: Open, list: ListDirectory, signal: AbortSignal) =>
  async (marker: string | null) =>
    (await list(names, { marker: marker ?? '', size, isKnown: false, last }, signal)) ?? {
      last: '',
      marker: null,
    };
