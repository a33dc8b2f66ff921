import { throwIfAborted } from '../abort.ts';
import { assertPresent, isPlainPath, readFolder, type Share } from './share.ts';
import { ioFailure, refusalOf } from './share-error.ts';
import { fromBytes, joinPath, MAX_DEPTH, MAX_FOLDER_PATH } from './share-path.ts';

/** A regular file, or a folder that is not entered: denied, too deep, or with too long a path. */
export type ShareEntry = { path: string; kind: 'file' | 'folder' };

type Child = { name: string; folder: boolean };

/** Part of a folder: its children after `from`, in order, and whether that is all of them. */
type Run = { children: readonly Child[]; complete: boolean };

/** Names kept of one folder at a time, however many it holds. */
const RUN_LENGTH = 8192;

/**
 * The last long run that a walk read. Each page of a huge folder would otherwise read the whole folder again. It
 * serves the pages that follow for a moment; in another process they are the same, only slower.
 */
export type WalkMemory = { last: (Run & { folder: string; from: string | undefined; until: number }) | null };

const WORTH_KEEPING = 1000;
const KEPT_MS = 30_000;

export type Walk = { share: Share; memory: WalkMemory; signal: AbortSignal };

/**
 * Walks the share in byte order of names, each folder at the place of its name, beginning after the entry `after`.
 * Symbolic links and special files are passed over. The position is a path, so a walk goes on in another process
 * and after changes: what lies behind it is met once, what lies before it is not met again.
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
    yield { path: folder, kind: 'folder' };
    return;
  }
  let [last, ...inside] = after;
  if (last !== undefined && inside.length > 0)
    yield* walkFolder(walk, joinPath(folder, last), inside, depth + 1);
  for (;;) {
    throwIfAborted(walk.signal);
    const run = await runAfter(walk, folder, last);
    if (run === 'denied') {
      yield { path: folder, kind: 'folder' };
      return;
    }
    for (const child of run.children) {
      const path = joinPath(folder, child.name);
      if (child.folder) yield* walkFolder(walk, path, [], depth + 1);
      else yield { path, kind: 'file' };
    }
    if (run.complete) return;
    last = run.children.at(-1)?.name;
  }
}

const isOutOfBounds = (folder: string, depth: number) => depth > MAX_DEPTH || folder.length > MAX_FOLDER_PATH;

/** True when the walk enters the folder, so that it is no item itself. */
export async function isWalked(share: Share, folder: string, signal: AbortSignal): Promise<boolean> {
  if (isOutOfBounds(folder, folder.split('/').length)) return false;
  return (await runAfter({ share, memory: { last: null }, signal }, folder, undefined)) !== 'denied';
}

/** The next children in order after `from`. A folder that went away has none, unless the share went with it. */
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
  // At twice the length the names are sorted and the upper half dropped, which bars later names above it.
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
