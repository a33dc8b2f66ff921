import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, opendir, realpath } from 'node:fs/promises';
import { ConnectorError } from '../connector.ts';
import { ioFailure, refusalOf, shareAway } from './share-error.ts';
import { asBytes, fromBytes, joinPath } from './share-path.ts';

/** A selected folder, by its real absolute path (one character per byte). */
export type Share = { base: string };

/** Where the share is. Nothing of it is looked at, so that it may be away all the same. */
export async function locateShare(root: string, folder: string): Promise<Share> {
  try {
    return { base: joinPath(await realPath(root), folder) };
  } catch (error) {
    throw shareFailure(error);
  }
}

/**
 * Opens the share, or throws. A folder with nothing in it is refused as well: it is what the mount point of a
 * lost mount looks like, and an empty listing would read as the deletion of everything.
 */
export async function openShare(root: string, folder: string): Promise<Share> {
  const share = await locateShare(root, folder);
  try {
    const { base } = share;
    if ((await realPath(base)) !== base || !(await lstat(asBytes(base))).isDirectory())
      throw new ConnectorError('permanent', 'share_not_a_folder');
    await assertNotEmpty(base);
    return share;
  } catch (error) {
    throw shareFailure(error);
  }
}

/** Throws when an entry that just went missing did so because the whole share did. */
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

function shareFailure(error: unknown): ConnectorError {
  if (error instanceof ConnectorError) return error;
  switch (refusalOf(error)) {
    case 'gone':
      return shareAway('transient', 'share_unreachable');
    case 'denied':
      return shareAway('auth', 'share_denied');
    case 'failed':
      return ioFailure(error);
  }
}

const realPath = async (path: string) => fromBytes(await realpath(asBytes(path), { encoding: 'buffer' }));

/** True when no part of the path is a symbolic link. */
export async function isPlainPath(share: Share, path: string): Promise<boolean> {
  const absolute = joinPath(share.base, path);
  return (await realPath(absolute)) === absolute;
}

export const statEntry = (share: Share, path: string): Promise<BigIntStats> =>
  lstat(asBytes(joinPath(share.base, path)), { bigint: true });

/** The entries of one folder as the file system gives them: unsorted, never all in memory. */
export async function* readFolder(share: Share, path: string): AsyncGenerator<Dirent<Buffer>> {
  // The typings know text encodings only; Node hands out the raw bytes for 'buffer'.
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: 512 };
  const folder = await opendir(asBytes(joinPath(share.base, path)), options);
  try {
    if (!(await isPlainPath(share, path))) return;
    // Denied where names may be read but the folder not entered: such names are of no use.
    await statEntry(share, joinPath(path, '.'));
    for (let entry = await folder.read(); entry !== null; entry = await folder.read())
      yield entry as unknown as Dirent<Buffer>;
  } finally {
    await folder.close();
  }
}
