import { ConnectorError, type ContentRead } from '../connector.ts';
import type { BlobAnswer, BlobCalls } from './blob-calls.ts';
import { assertCredential } from './blob-refusal.ts';

const RANGE_BYTES = 8 * 1024 * 1024;
/** A client has the file open and lets nobody read it, or is deleting it. */
const IN_USE = new Set(['SharingViolation', 'DeletePending', 'FileLockConflict', 'ClientCacheFlushDelay']);

/** Reads a content range by range. It is read again later if it changes meanwhile. */
export async function readRanges(
  calls: BlobCalls,
  address: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ContentRead> {
  const parts: Uint8Array[] = [];
  let read = 0;
  let etag: string | null = null;
  for (;;) {
    const length = Math.max(1, Math.min(RANGE_BYTES, maxBytes - read));
    const headers = { 'x-ms-range': `bytes=${read}-${read + length - 1}` };
    const answer = await calls.get(address, {}, signal, { headers, maxBytes: length });
    // No range of an empty file can be answered.
    if (answer.status === 416 && read === 0) return { state: 'available', bytes: new Uint8Array() };
    if (answer.status !== 206) return refusedContent(answer, read);
    const total = totalOf(answer, read);
    if (total > maxBytes) return { state: 'too_large', sizeBytes: total };
    if (read > 0 && answer.header('etag') !== etag)
      throw new ConnectorError('transient', 'blob_file_changed');
    etag = answer.header('etag');
    if (answer.bytes !== null) parts.push(answer.bytes);
    read += answer.length;
    if (read >= total) return { state: 'available', bytes: Buffer.concat(parts) };
  }
}

/** The size of the whole file. The answer must be of the range that begins at `from`. */
function totalOf(answer: BlobAnswer, from: number): number {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.header('content-range') ?? '') ?? [];
  if (Number(start) !== from || total === undefined || answer.bytes === null || answer.length === 0)
    throw new ConnectorError('transient', 'blob_answer_malformed');
  return Number(total);
}

function refusedContent(answer: BlobAnswer, read: number): ContentRead {
  assertCredential(answer);
  const { status, code } = answer;
  if (status === 409 && IN_USE.has(code)) throw new ConnectorError('transient', 'blob_file_in_use');
  // The file became shorter, or the service ignores ranges.
  if (status === 416 || status === 200 || read > 0)
    throw new ConnectorError('transient', 'blob_file_changed');
  return { state: 'inaccessible' };
}
