import { lstat, statfs } from 'node:fs/promises';
import type { Share } from './share.ts';
import { ioFailure } from './share-error.ts';
import { asBytes, joinPath } from './share-path.ts';

/**
 * The bytes in use of the file system that is mounted at the top of the share. Null if the share is a folder of a larger
 * file system, whose counter says nothing about it.
 */
export async function usedBytes({ base }: Share): Promise<number | null> {
  try {
    const [top, above] = await Promise.all([lstat(asBytes(base)), lstat(asBytes(joinPath(base, '..')))]);
    if (top.dev === above.dev) return null;
    const { blocks, bfree, bsize } = await statfs(asBytes(base));
    return (blocks - bfree) * bsize;
  } catch (error) {
    throw ioFailure(error);
  }
}
