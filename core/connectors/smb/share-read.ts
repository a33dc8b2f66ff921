import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { throwIfAborted } from '../abort.ts';
import { ConnectorError, type ContentRead } from '../connector.ts';
import { isPlainPath, type Share, statEntry } from './share.ts';
import { asBytes, joinPath } from './share-path.ts';

const SLICE = 1024 * 1024;
// Without O_NONBLOCK, opening a pipe that has replaced a file would wait forever for a writer.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads a regular file of at most `maxBytes`. Returns null if the path leads to none. Throws errors of the file system. */
export async function readShareFile(
  share: Share,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ContentRead | null> {
  const file = await open(asBytes(joinPath(share.base, path)), FLAGS);
  try {
    const before = await file.stat({ bigint: true });
    // Checked after opening: the open file is the one at this path, and no symbolic link led to it.
    const named = await statEntry(share, path);
    const same = named.dev === before.dev && named.ino === before.ino;
    if (!before.isFile() || !same || !(await isPlainPath(share, path))) return null;
    if (before.size > BigInt(maxBytes)) return { state: 'too_large', sizeBytes: Number(before.size) };
    const bytes = new Uint8Array(Number(before.size));
    const complete = await fill(file, bytes, signal);
    const after = await file.stat({ bigint: true });
    if (!complete || after.size !== before.size || after.mtimeNs !== before.mtimeNs)
      throw new ConnectorError('transient', 'content_changed_while_read');
    return { state: 'available', bytes };
  } finally {
    await file.close();
  }
}

async function fill(file: FileHandle, bytes: Uint8Array, signal: AbortSignal): Promise<boolean> {
  for (let at = 0; at < bytes.length; ) {
    throwIfAborted(signal);
    const { bytesRead } = await file.read(bytes, at, Math.min(SLICE, bytes.length - at), at);
    if (bytesRead === 0) return false;
    at += bytesRead;
  }
  return true;
}
