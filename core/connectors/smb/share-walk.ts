import { throwIfAborted } from '../abort.ts';
import { assertPresent, isPlainPath, readFolder, type Share } from './share.ts';
import { ioFailure, refusalOf } from './share-error.ts';
import { fromBytes, joinPath, MAX_DEPTH, MAX_FOLDER_PATH } from './share-path.ts';

/**
 * A regular file, or a folder that is not entered because it is denied or out of bounds: too deep, or with too long a
 * path.
 */
export type ShareEntry = { path: string; kind: 'file' | 'folder'; isOutOfBounds: boolean };

type Child = { name: string; folder: boolean };

/** A part of a folder: its children after `from` in order, and whether these are all. */
type Run = { children: readonly Child[]; complete: boolean };

/** The most names of one folder in memory. */
const RUN_LENGTH = 8192;

/**
 * The last long run of a walk. Without it, each page of a huge folder would read the whole folder again. It is kept
 * for a short time. In another process the next pages are the same, only slower.
 */
export type WalkMemory = { last: (Run & { folder: string; from: string | undefined; until: number }) | null };

const WORTH_KEEPING = 1000;
const KEPT_MS = 30_000;

export type Walk = { share: Share; memory: WalkMemory; signal: AbortSignal };

/**
 * Walks the share in byte order of names, starting after the entry `after`. A folder is walked at the position of its
 * name. Symbolic links and special files are skipped.
 * The position is a path, so a walk can continue in another process and after changes. It visits every entry after
 * the position once, and none before it.
 */
export async function* walkShare(walk: Walk, after: string | null): AsyncGenerator<ShareEntry> {
  yield* walkFolder(walk, '', after === null ? [] : after.split('/'), 0);
}

async function* walkFolder(
  walk: Walk,
  folder: string,
  after: readonly string[],
  depth: number,
): AsyncGenerator<ShareEntry> {
  if (isOutOfBounds(folder, depth)) {
    yield { path: folder, kind: 'folder', isOutOfBounds: true };
    return;
  }
  let [last, ...inside] = after;
  if (last !== undefined && inside.length > 0)
    yield* walkFolder(walk, joinPath(folder, last), inside, depth + 1);
  for (;;) {
    throwIfAborted(walk.signal);
    const run = await runAfter(walk, folder, last);
    if (run === 'denied') {
      yield { path: folder, kind: 'folder', isOutOfBounds: false };
      return;
    }
    for (const child of run.children) {
      const path = joinPath(folder, child.name);
      if (child.folder) yield* walkFolder(walk, path, [], depth + 1);
      else yield { path, kind: 'file', isOutOfBounds: false };
    }
    if (run.complete) return;
    last = run.children.at(-1)?.name;
  }
}

const isOutOfBounds = (folder: string, depth: number) => depth > MAX_DEPTH || folder.length > MAX_FOLDER_PATH;

/** Whether the walk enters the folder, so that it is not an item itself. */
export async function isWalked(share: Share, folder: string, signal: AbortSignal): Promise<boolean> {
  if (isOutOfBounds(folder, folder.split('/').length)) return false;
  return (await runAfter({ share, memory: { last: null }, signal }, folder, undefined)) !== 'denied';
}

/** The next children after `from` in order. A folder that disappeared has none, unless the whole share disappeared. */
async function runAfter(walk: Walk, folder: string, from: string | undefined): Promise<Run | 'denied'> {
  try {
    const known = await recall(walk, folder, from);
    if (known !== null) return known;
    const run = await readRun(walk, folder, from);
    if (run.children.length >= WORTH_KEEPING)
      walk.memory.last = { ...run, folder, from, until: performance.now() + KEPT_MS };
    return run;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === 'failed' || folder === '') throw ioFailure(error);
    await assertPresent(walk.share);
    return refusal === 'denied' ? 'denied' : { children: [], complete: true };
  }
}

async function recall(walk: Walk, folder: string, from: string | undefined): Promise<Run | null> {
  const kept = walk.memory.last;
  if (kept === null || kept.folder !== folder || performance.now() >= kept.until) return null;
  if (from === undefined || (kept.from !== undefined && from < kept.from)) return null;
  const children = kept.children.filter((child) => child.name > from);
  if (children.length === 0 || !(await isPlainPath(walk.share, folder))) return null;
  return { children, complete: kept.complete };
}

async function readRun(walk: Walk, folder: string, from: string | undefined): Promise<Run> {
  let kept: Child[] = [];
  // At twice the run length, the names are sorted and the upper half is dropped. Later names above it are ignored.
  let ceiling: string | undefined;
  const settle = () => {
    kept.sort((a, b) => (a.name < b.name ? -1 : 1));
    if (kept.length <= RUN_LENGTH) return;
    kept = kept.slice(0, RUN_LENGTH);
    ceiling = kept.at(-1)?.name;
  };
  for await (const entry of readFolder(walk.share, folder)) {
    throwIfAborted(walk.signal);
    const isFolder = entry.isDirectory();
    if (!isFolder && !entry.isFile()) continue;
    const name = fromBytes(entry.name);
    if (from !== undefined && name <= from) continue;
    if (ceiling !== undefined && name > ceiling) continue;
    kept.push({ name, folder: isFolder });
    if (kept.length >= RUN_LENGTH * 2) settle();
  }
  settle();
  return { children: kept, complete: ceiling === undefined };
}
