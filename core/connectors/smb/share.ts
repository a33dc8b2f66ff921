import { type BigIntStats, type Dirent, fstat, readlinkSync } from 'node:fs';
import { lstat, opendir, realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ConnectorError, ScopeRefused } from '../connector.ts';
import { errnoOf, ioFailure, refusalOf, shareAway } from './share-error.ts';
import { asBytes, fromBytes, joinPath } from './share-path.ts';

/** A selected folder, as its real absolute path (one character per byte). */
export type Share = { base: string };

/** The real path of the root. Does not access the shares below it, so they may be unreachable. */
export async function locateRoot(root: string): Promise<string> {
  try {
    return await realPath(root);
  } catch (error) {
    throw shareFailure(error);
  }
}

export const shareIn = (realRoot: string, folder: string): Share => ({ base: joinPath(realRoot, folder) });

/**
 * Opens the share, or throws. Refuses an empty folder too, because a lost mount looks like one, and an empty listing
 * would count as the deletion of everything.
 */
export async function openShare(root: string, folder: string): Promise<Share> {
  const share = shareIn(await locateRoot(root), folder);
  try {
    const { base } = share;
    if ((await realPath(base)) !== base || !(await lstat(asBytes(base))).isDirectory())
      throw new ScopeRefused('unreachable', 'share_not_a_folder');
    await assertNotEmpty(base);
    return share;
  } catch (error) {
    throw shareFailure(error);
  }
}

/** Throws if an entry is missing because the whole share is. */
export async function assertPresent(share: Share): Promise<void> {
  try {
    await assertNotEmpty(share.base);
  } catch (error) {
    throw shareFailure(error);
  }
}

async function assertNotEmpty(base: string): Promise<void> {
  const folder = await opendir(asBytes(base));
  try {
    if ((await folder.read()) === null) throw shareAway('transient', 'share_empty');
  } finally {
    await folder.close();
  }
}

function shareFailure(error: unknown): unknown {
  if (error instanceof ConnectorError) return error;
  switch (refusalOf(error)) {
    case 'gone':
      return shareAway('transient', 'share_unreachable');
    case 'denied':
      return shareAway('auth', 'share_denied');
    case 'failed': {
      const failure = ioFailure(error);
      if (!(failure instanceof ConnectorError)) return failure;
      const { safeDiagnostic, retryClass, retryAfterMs } = failure;
      return new ScopeRefused('unreachable', safeDiagnostic, retryClass, retryAfterMs);
    }
  }
}

const realPath = async (path: string) => fromBytes(await realpath(asBytes(path), { encoding: 'buffer' }));

/** Whether no part of the path is a symbolic link. */
export async function isPlainPath(share: Share, path: string): Promise<boolean> {
  const absolute = joinPath(share.base, path);
  return (await realPath(absolute)) === absolute;
}

const fileStat = promisify(fstat);
export const statOpen = (file: number): Promise<BigIntStats> => fileStat(file, { bigint: true });

/** Whether an open file is the one at the path, and no symbolic link led to it. */
export async function isOpenAt(share: Share, path: string, file: number): Promise<boolean> {
  if (placeOf(file) === joinPath(share.base, path)) return true;
  // A share without case may be open by another spelling of the same path.
  const [opened, named] = [await statOpen(file), await statEntry(share, path)];
  return opened.dev === named.dev && opened.ino === named.ino && (await isPlainPath(share, path));
}

/**
 * Where the kernel knows an open file to be. Linux has it in memory: the share is not asked, so the call does not block.
 * Null on other systems, and where the kernel does not say.
 */
function placeOf(file: number): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return fromBytes(readlinkSync(`/proc/self/fd/${file}`, { encoding: 'buffer' }));
  } catch (error) {
    // ENOENT: no `proc` is mounted. ENAMETOOLONG: the path is longer than a page of memory.
    if (!['ENOENT', 'EACCES', 'ENAMETOOLONG'].includes(errnoOf(error))) throw error;
    return null;
  }
}

export const statEntry = (share: Share, path: string): Promise<BigIntStats> =>
  lstat(asBytes(joinPath(share.base, path)), { bigint: true });

/** The entries of one folder, unsorted, without holding all of them in memory. */
export async function* readFolder(share: Share, path: string): AsyncGenerator<Dirent<Buffer>> {
  // The typings only know text encodings. With 'buffer' Node returns raw bytes.
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: 512 };
  const folder = await opendir(asBytes(joinPath(share.base, path)), options);
  try {
    if (!(await isPlainPath(share, path))) return;
    // Denied if names can be listed but the folder cannot be entered, because such names are of no use.
    await statEntry(share, joinPath(path, '.'));
    for (let entry = await folder.read(); entry !== null; entry = await folder.read())
      yield entry as unknown as Dirent<Buffer>;
  } finally {
    await folder.close();
  }
}
