import { createInflateRaw, inflateRawSync } from 'node:zlib';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import type { Shortfall } from '../bounded-text.ts';
import {
  byLibrary,
  byLibrarySync,
  Damaged,
  eachByLibrary,
  isDamage,
  isInflatedTooFar,
  nullIfDamaged,
} from '../damage.ts';
import type { ExtractionBudget } from '../extractor.ts';

/** Thrown by `read` when all members together would inflate beyond the bound. */
export class InflatedBound extends Damaged {
  constructor() {
    super('inflated_bound');
    this.name = 'InflatedBound';
  }
}

/** The shortfall that an error of `read` means. Throws an error that is no damage. */
export function shortfallOf(error: unknown): Shortfall {
  if (!isDamage(error)) throw error;
  return error instanceof InflatedBound ? 'inflated_bound' : 'damaged';
}

export type ZipMember = {
  /** See `plainName`. */
  name: string;
  /** The stored name, in an unknown encoding. */
  rawName: Uint8Array;
  encrypted: boolean;
  /** The size of the packed member in bytes. */
  packedBytes: number;
  /** Yields the inflated bytes: small members at once, others in chunks of 64 kB. Never holds more in memory. */
  read(): AsyncGenerator<Uint8Array>;
};

export type Zip = {
  members: readonly ZipMember[];
  /** Whether there are more members than the bound. The rest is not listed. */
  cut: boolean;
  /** Whether the central directory is lost. Members are then found by their local headers. */
  damaged: boolean;
};

/**
 * Normalises a name to `/`, lower case and no leading slash. Package names are case-insensitive, and some writers use
 * `\`.
 */
export const plainName = (name: string) => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();

const CHUNK_BYTES = 65_536;
/** Most members of most packages are smaller than this, packed and inflated. */
const SMALL_PACKED_BYTES = 65_536;
const SMALL_BYTES = 524_288;
const STORED = 0;
const DEFLATED = 8;
/** Compression methods of members of password-protected iWork '09 documents, which do not set the encryption flag. */
const SEALED_METHODS = new Set([0x636b, 0x636c]);
const LOCAL_HEADER_BYTES = 30;
const SIGNATURE = Buffer.from('PK');
const LOCAL = 0x04034b50;
/**
 * Signatures of what can follow a member: another member, its data descriptor, the central directory, and the end
 * records.
 */
const FOLLOWERS = new Set([LOCAL, 0x08074b50, 0x02014b50, 0x06054b50, 0x06064b50]);
const IS_ENCRYPTED = 0x1;
const SIZE_FOLLOWS = 0x8;

/**
 * Opens a zip archive in memory.
 * Throws `Damaged` if no member is found, or if members overlap. Ordinary writers never make members share bytes, but a
 * non-recursive zip bomb must.
 */
export async function openZip(bytes: Uint8Array, budget: ExtractionBudget): Promise<Zip> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await listed(data, budget).catch(nullIfDamaged);
  if (zip === null) return salvaged(data, budget);
  refuseOverlap(zip.entries);
  budget.members -= zip.entries.length;
  return {
    members: zip.entries.map((entry) => member(zip.file, data, entry, budget)),
    cut: zip.cut,
    damaged: false,
  };
}

/** Members from the central directory. Rejects if it cannot be read. */
async function listed(data: Buffer, budget: ExtractionBudget) {
  // Names are decoded here, because the library rejects the archive for one invalid name. Sizes are checked while
  // inflating.
  const file = await byLibrary(() =>
    yauzl.fromBufferPromise(data, { decodeStrings: false, validateEntrySizes: false }),
  );
  const entries: Entry[] = [];
  for await (const entry of eachByLibrary(file.eachEntry())) {
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
    if (span.start < reached) throw new Damaged('zip_members_overlap');
    reached = span.end;
  }
}

function member(file: ZipFile, data: Buffer, entry: Entry, budget: ExtractionBudget): ZipMember {
  // With `decodeStrings: false` the library returns raw bytes, contrary to its types.
  const name = byLibrarySync(() =>
    yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false),
  );
  return {
    name: plainName(name),
    rawName: entry.fileNameRaw,
    encrypted: entry.isEncrypted() || SEALED_METHODS.has(entry.compressionMethod),
    packedBytes: entry.compressedSize,
    async *read() {
      const { fileDataStart } = await byLibrary(() =>
        file.readLocalFileHeaderPromise(entry, { minimal: true }),
      );
      const packed = data.subarray(fileDataStart, fileDataStart + entry.compressedSize);
      yield* charged(unpacked(packed, entry.compressionMethod), budget);
    },
  };
}

/**
 * Finds members by their headers in an archive without a central directory, such as a truncated one. They follow each
 * other, so they cannot overlap. Throws if there is none.
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
  if (members.length === 0) throw new Damaged('zip_without_members');
  budget.members -= members.length;
  return { members, cut: budget.members <= 0 && at !== null, damaged: true };
}

/** Returns null if the file ends within the header. */
function salvagedMember(data: Buffer, at: number, budget: ExtractionBudget) {
  if (at + LOCAL_HEADER_BYTES > data.length) return null;
  const flags = data.readUInt16LE(at + 6);
  const method = data.readUInt16LE(at + 8);
  const size = data.readUInt32LE(at + 18);
  const nameStart = at + LOCAL_HEADER_BYTES;
  const nameEnd = nameStart + data.readUInt16LE(at + 26);
  const start = nameEnd + data.readUInt16LE(at + 28);
  if (start > data.length) return null;
  // Uses the size in the header unless it is omitted or leads beyond the end of the file.
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

/** The offset of the next record of this kind. For null, of any kind that can follow a member. */
function nextSignature(data: Buffer, from: number, wanted: number | null): number | null {
  for (let at = data.indexOf(SIGNATURE, from); at >= 0; at = data.indexOf(SIGNATURE, at + 1)) {
    if (at + 4 > data.length) return null;
    const signature = data.readUInt32LE(at);
    if (wanted === null ? FOLLOWERS.has(signature) : signature === wanted) return at;
  }
  return null;
}

/** Passes the chunks on and charges them to the budget. */
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
  if (method !== DEFLATED) throw new Damaged('zip_method_unknown');
  const small = packed.length <= SMALL_PACKED_BYTES ? inflatedAtOnce(packed) : null;
  if (small !== null) return [small];
  // A stream produces output only as fast as it is read, so memory stays at one chunk whatever the compression ratio.
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  inflate.end(packed);
  return inflate;
}

/**
 * Many times faster than a stream, which passes each chunk to another thread. Returns null if the member is large or
 * broken.
 */
function inflatedAtOnce(packed: Buffer): Buffer | null {
  try {
    return inflateRawSync(packed, { maxOutputLength: SMALL_BYTES });
  } catch (error) {
    if (!isInflatedTooFar(error) && !isDamage(error)) throw error;
    return null;
  }
}

/** Splits bytes into chunks of the same size as inflating does. */
export function* slices(packed: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < packed.length; at += CHUNK_BYTES) yield packed.subarray(at, at + CHUNK_BYTES);
}
