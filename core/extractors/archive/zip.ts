import { createInflateRaw, inflateRawSync } from 'node:zlib';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import type { Shortfall } from '../bounded-text.ts';
import type { ExtractionBudget } from '../extractor.ts';

/** Thrown by `read` when all members together would inflate past the bound. */
class InflatedBound extends Error {
  constructor() {
    super('inflated_bound');
    this.name = 'InflatedBound';
  }
}

/** What an error of `read` means for the text of the archive. */
export const shortfallOf = (error: unknown): Shortfall =>
  error instanceof InflatedBound ? 'inflated_bound' : 'damaged';

export type ZipMember = {
  /** See `plainName`. */
  name: string;
  /** The name as it is stored, in whatever encoding. */
  rawName: Uint8Array;
  encrypted: boolean;
  /** Bytes that it takes in the archive. */
  packedBytes: number;
  /** Its inflated bytes: at once when they are few, else in chunks of 64 kB; nothing larger is ever held. */
  read(): AsyncGenerator<Uint8Array>;
};

export type Zip = {
  members: readonly ZipMember[];
  /** True when there are more members than the bound; the rest is not listed. */
  cut: boolean;
  /** True when the directory at the end is lost: members are what could be found before it. */
  damaged: boolean;
};

/** With `/`, lower case, no leading slash: packages are not case sensitive, and some writers use `\`. */
export const plainName = (name: string) => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();

const CHUNK_BYTES = 65_536;
/** Most parts of most packages are smaller, packed and inflated. */
const SMALL_PACKED_BYTES = 65_536;
const SMALL_BYTES = 524_288;
const STORED = 0;
const DEFLATED = 8;
/** How iWork '09 writes members of a document with a password, stored or deflated: it sets no flag. */
const SEALED_METHODS = new Set([0x636b, 0x636c]);
const LOCAL_HEADER_BYTES = 30;
const SIGNATURE = Buffer.from('PK');
const LOCAL = 0x04034b50;
/** What may follow a member: another one, its data descriptor, the directory, the records at the end. */
const FOLLOWERS = new Set([LOCAL, 0x08074b50, 0x02014b50, 0x06054b50, 0x06064b50]);
const IS_ENCRYPTED = 0x1;
const SIZE_FOLLOWS = 0x8;

/**
 * Opens a zip archive that lies in memory. Throws when no member can be found, or when members overlap: no honest
 * writer makes them share bytes, and a bomb without recursion must.
 */
export async function openZip(bytes: Uint8Array, budget: ExtractionBudget): Promise<Zip> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await listed(data, budget).catch(() => null);
  if (zip === null) return salvaged(data, budget);
  refuseOverlap(zip.entries);
  budget.members -= zip.entries.length;
  return {
    members: zip.entries.map((entry) => member(zip.file, data, entry, budget)),
    cut: zip.cut,
    damaged: false,
  };
}

/** What the directory lists. Rejects when it cannot be read. */
async function listed(data: Buffer, budget: ExtractionBudget) {
  // Names are decoded here, since one bad name makes the library refuse the archive; sizes are checked by inflating.
  const file = await yauzl.fromBufferPromise(data, { decodeStrings: false, validateEntrySizes: false });
  const entries: Entry[] = [];
  for await (const entry of file.eachEntry()) {
    if (entries.length >= budget.members) return { file, entries, cut: true };
    entries.push(entry);
  }
  return { file, entries, cut: false };
}

function refuseOverlap(entries: readonly Entry[]): void {
  const spans = entries.map((entry) => ({
    start: entry.relativeOffsetOfLocalHeader,
    end: entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize,
  }));
  spans.sort((a, b) => a.start - b.start);
  let reached = 0;
  for (const span of spans) {
    if (span.start < reached) throw new Error('zip_members_overlap');
    reached = span.end;
  }
}

function member(file: ZipFile, data: Buffer, entry: Entry, budget: ExtractionBudget): ZipMember {
  // With `decodeStrings: false` the library leaves the raw bytes, whatever its types say.
  const name = yauzl.getFileNameLowLevel(
    entry.generalPurposeBitFlag,
    entry.fileNameRaw,
    entry.extraFields,
    false,
  );
  return {
    name: plainName(name),
    rawName: entry.fileNameRaw,
    encrypted: entry.isEncrypted() || SEALED_METHODS.has(entry.compressionMethod),
    packedBytes: entry.compressedSize,
    async *read() {
      const { fileDataStart } = await file.readLocalFileHeaderPromise(entry, { minimal: true });
      const packed = data.subarray(fileDataStart, fileDataStart + entry.compressedSize);
      yield* charged(unpacked(packed, entry.compressionMethod), budget);
    },
  };
}

/**
 * Of an archive without a directory, such as one that was cut, the members that have a header. They follow each
 * other, so they cannot overlap. Throws when there is none.
 */
function salvaged(data: Buffer, budget: ExtractionBudget): Zip {
  const members: ZipMember[] = [];
  let at = nextSignature(data, 0, LOCAL);
  while (at !== null && members.length < budget.members) {
    const found = salvagedMember(data, at, budget);
    if (found === null) break;
    members.push(found.member);
    at = nextSignature(data, found.end, LOCAL);
  }
  if (members.length === 0) throw new Error('zip_without_members');
  budget.members -= members.length;
  return { members, cut: budget.members <= 0 && at !== null, damaged: true };
}

/** Null when the file ends within the header. */
function salvagedMember(data: Buffer, at: number, budget: ExtractionBudget) {
  if (at + LOCAL_HEADER_BYTES > data.length) return null;
  const flags = data.readUInt16LE(at + 6);
  const method = data.readUInt16LE(at + 8);
  const size = data.readUInt32LE(at + 18);
  const nameStart = at + LOCAL_HEADER_BYTES;
  const nameEnd = nameStart + data.readUInt16LE(at + 26);
  const start = nameEnd + data.readUInt16LE(at + 28);
  if (start > data.length) return null;
  // The size is that of the header, unless it was left to what follows or leads past the end.
  const known = (flags & SIZE_FOLLOWS) === 0 && start + size <= data.length;
  const end = known ? start + size : (nextSignature(data, start, null) ?? data.length);
  const rawName = data.subarray(nameStart, nameEnd);
  const packed = data.subarray(start, end);
  const member: ZipMember = {
    name: plainName(rawName.toString()),
    rawName,
    encrypted: (flags & IS_ENCRYPTED) !== 0 || SEALED_METHODS.has(method),
    packedBytes: packed.length,
    async *read() {
      yield* charged(unpacked(packed, method), budget);
    },
  };
  return { member, end };
}

/** Where the next record of this kind starts, of any kind that may follow a member for null. */
function nextSignature(data: Buffer, from: number, wanted: number | null): number | null {
  for (let at = data.indexOf(SIGNATURE, from); at >= 0; at = data.indexOf(SIGNATURE, at + 1)) {
    if (at + 4 > data.length) return null;
    const signature = data.readUInt32LE(at);
    if (wanted === null ? FOLLOWERS.has(signature) : signature === wanted) return at;
  }
  return null;
}

/** The same chunks, paid for. */
export async function* charged(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  budget: ExtractionBudget,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    budget.inflatedBytes -= chunk.length;
    if (budget.inflatedBytes < 0) throw new InflatedBound();
    yield chunk;
  }
}

function unpacked(packed: Buffer, method: number): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (method === STORED) return slices(packed);
  if (method !== DEFLATED) throw new Error('zip_method_unknown');
  const small = packed.length <= SMALL_PACKED_BYTES ? inflatedAtOnce(packed) : null;
  if (small !== null) return [small];
  // As a stream and not at once: its output waits for the reader, so memory stays at a chunk whatever the ratio.
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  inflate.end(packed);
  return inflate;
}

/** Many times as fast as a stream, which hands each chunk to another thread. Null when it is large or broken. */
function inflatedAtOnce(packed: Buffer): Buffer | null {
  try {
    return inflateRawSync(packed, { maxOutputLength: SMALL_BYTES });
  } catch {
    return null;
  }
}

/** Bytes in chunks as inflating makes them. */
export function* slices(packed: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < packed.length; at += CHUNK_BYTES) yield packed.subarray(at, at + CHUNK_BYTES);
}
