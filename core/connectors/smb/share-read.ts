import { close, constants, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { throwIfAborted } from '../abort.ts';
import { ConnectorError, type ContentRead } from '../connector.ts';
import { isOpenAt, type Share, statOpen } from './share.ts';
import { asBytes, joinPath } from './share-path.ts';

const SLICE = 1024 * 1024;
// Without O_NONBLOCK, opening a pipe that has replaced a file would wait forever for a writer.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

// A third faster for small files than the handles of `fs/promises`.
const openFile = promisify(open);
const readFile = promisify(read);
const closeFile = promisify(close);

/** Reads a regular file of at most `maxBytes`. Returns null if the path leads to none. Throws errors of the file system. */
export async function readShareFile(
  share: Share,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ContentRead | null> {
  const file = await openFile(asBytes(joinPath(share.base, path)), FLAGS);
  try {
    const before = await statOpen(file);
    if (!before.isFile() || !(await isOpenAt(share, path, file))) return null;
    if (before.size > BigInt(maxBytes)) return { state: 'too_large', sizeBytes: Number(before.size) };
    const bytes = new Uint8Array(Number(before.size));
    const complete = await fill(file, bytes, signal);
    const after = await statOpen(file);
    if (!complete || after.size !== before.size || after.mtimeNs !== before.mtimeNs)
      throw new ConnectorError('transient', 'content_changed_while_read');
    return { state: 'available', bytes };
  } finally {
    await closeFile(file);
  }
}

async function fill(file: number, bytes: Uint8Array, signal: AbortSignal): Promise<boolean> {
  for (let at = 0; at < bytes.length; ) {
    throwIfAborted(signal);
    const { bytesRead } = await readFile(file, bytes, at, Math.min(SLICE, bytes.length - at), at);
    if (bytesRead === 0) return false;
    at += bytesRead;
  }
  return true;
}
