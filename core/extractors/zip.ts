import { createInflateRaw } from 'node:zlib';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import type { ExtractionBounds } from './extractor.ts';

/** Thrown by `read` when all members together would inflate past the bound. */
export class InflatedBound extends Error {
  constructor() {
    super('inflated_bound');
    this.name = 'InflatedBound';
  }
}

export type ZipMember = {
  name: string;
  encrypted: boolean;
  /** Its inflated bytes, in chunks of at most 64 kB; nothing larger is ever held. */
  read(): AsyncGenerator<Uint8Array>;
};

export type Zip = {
  members: readonly ZipMember[];
  /** True when there are more members than the bound; the rest is not listed. */
  cut: boolean;
};

/** With `/`, lower case, no leading slash: packages are not case sensitive, and some writers use `\`. */
export const plainName = (name: string) => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();

const CHUNK_BYTES = 65_536;
const STORED = 0;
const DEFLATED = 8;
const LOCAL_HEADER_BYTES = 30;

/**
 * Opens a zip archive that lies in memory. Throws when the directory is unreadable, or when members overlap:
 * no honest writer makes them share bytes, and a bomb without recursion must.
 */
export async function openZip(bytes: Uint8Array, bounds: ExtractionBounds): Promise<Zip> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Names are decoded here, since one bad name makes the library refuse the archive; sizes are checked by inflating.
  const file = await yauzl.fromBufferPromise(data, { decodeStrings: false, validateEntrySizes: false });
  const entries: Entry[] = [];
  let cut = false;
  for await (const entry of file.eachEntry()) {
    if (entries.length >= bounds.maxMembers) {
      cut = true;
      break;
    }
    entries.push(entry);
  }
  refuseOverlap(entries);
  const budget: Budget = { left: bounds.maxInflatedBytes };
  return { members: entries.map((entry) => member(file, data, entry, budget)), cut };
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

type Budget = { left: number };

function member(file: ZipFile, data: Buffer, entry: Entry, budget: Budget): ZipMember {
  // With `decodeStrings: false` the library leaves the raw bytes, whatever its types say.
  const name = yauzl.getFileNameLowLevel(
    entry.generalPurposeBitFlag,
    entry.fileNameRaw,
    entry.extraFields,
    false,
  );
  return {
    name: plainName(name),
    encrypted: entry.isEncrypted(),
    async *read() {
      const { fileDataStart } = await file.readLocalFileHeaderPromise(entry, { minimal: true });
      const packed = data.subarray(fileDataStart, fileDataStart + entry.compressedSize);
      for await (const chunk of unpacked(packed, entry.compressionMethod)) {
        budget.left -= chunk.length;
        if (budget.left < 0) throw new InflatedBound();
        yield chunk;
      }
    },
  };
}

function unpacked(packed: Buffer, method: number): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (method === STORED) return slices(packed);
  if (method !== DEFLATED) throw new Error('zip_method_unknown');
  // As a stream and not at once: its output waits for the reader, so memory stays at a chunk whatever the ratio.
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  inflate.end(packed);
  return inflate;
}

function* slices(packed: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < packed.length; at += CHUNK_BYTES) yield packed.subarray(at, at + CHUNK_BYTES);
}
