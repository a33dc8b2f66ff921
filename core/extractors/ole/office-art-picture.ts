import { inflatedBlock } from '../archive/inflated-block.ts';
import type { BoundedText, Shortfall } from '../bounded-text.ts';
import type { ExtractionContext } from '../extractor.ts';
import { isEmf, writeEmf } from '../image/emf.ts';

/** [MS-ODRAW] 2.2.24: the record headers of a metafile with one or two hashes. */
const HEADS = [Buffer.from([0x40, 0x3d, 0x1a, 0xf0]), Buffer.from([0x50, 0x3d, 0x1a, 0xf0])];
const HEAD_BYTES = 8;
const HASH_BYTES = 16;
/** Size, bounds, physical size, compressed size, compression and filter. */
const METAFILE_BYTES = 34;
const IS_PACKED = 0;

/**
 * Appends the text of the metafiles in a stream of an Office document, each once. They are found by their record
 * headers, because each application stores pictures in its own way.
 */
export async function writeMetafiles(
  data: Buffer,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const known = new Set<string>();
  for (const { hash, isPacked, bytes } of metafiles(data)) {
    if (known.has(hash)) continue;
    known.add(hash);
    if (text.full) return null;
    if (context.budget.members <= 0) return 'member_bound';
    context.budget.members--;
    const plain = isPacked ? inflatedBlock(bytes, context.budget) : bytes;
    if (plain === 'inflated_bound') return plain;
    const left = typeof plain !== 'string' && isEmf(plain) ? await writeEmf(plain, text, context) : null;
    if (left !== null) return left;
  }
  return null;
}

/** [MS-ODRAW] 2.2.27, 2.2.28 and 2.2.30: the types and instances of JPEG, PNG and TIFF. Odd instances have two hashes. */
const RASTER_HEADS = [
  [0xf01d, 0x46a],
  [0xf01d, 0x6e2],
  [0xf01e, 0x6e0],
  [0xf029, 0x6e4],
].flatMap(([type = 0, instance = 0]) =>
  [instance, instance + 1].map((one) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(one << 4, 0);
    head.writeUInt16LE(type, 2);
    return { head, hashes: (one & 1) + 1 };
  }),
);
/** A byte between the hashes and the picture. */
const TAG_BYTES = 1;

/** Appends the pictures in streams of an Office document, which may be all that it shows, each once. */
export async function embedPictures(
  streams: readonly Buffer[],
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const known = new Set<string>();
  for (const data of streams) {
    for (const { hash, bytes } of rasters(data)) {
      if (known.has(hash)) continue;
      known.add(hash);
      if (text.full) return null;
      if (context.budget.members <= 0) return 'member_bound';
      context.budget.members--;
      await context.embedded({ name: '', mimeType: null, bytes }, text);
    }
  }
  return null;
}

function* rasters(data: Buffer): Generator<{ hash: string; bytes: Buffer }> {
  for (const { head, hashes } of RASTER_HEADS) {
    for (let at = data.indexOf(head); at >= 0; at = data.indexOf(head, at + HEAD_BYTES)) {
      const start = at + HEAD_BYTES;
      const from = start + HASH_BYTES * hashes + TAG_BYTES;
      const end = from > data.length ? 0 : start + data.readUInt32LE(at + 4);
      if (end <= from || end > data.length) continue;
      yield { hash: data.toString('hex', start, start + HASH_BYTES), bytes: data.subarray(from, end) };
    }
  }
}

function* metafiles(data: Buffer): Generator<{ hash: string; isPacked: boolean; bytes: Buffer }> {
  for (const [index, head] of HEADS.entries()) {
    let at = data.indexOf(head);
    while (at >= 0) {
      const start = at + HEAD_BYTES;
      const metafile = start + HASH_BYTES * (index + 1);
      const from = metafile + METAFILE_BYTES;
      if (from > data.length) break;
      const end = start + data.readUInt32LE(at + 4);
      const isWhole = end >= from && end <= data.length;
      if (isWhole) {
        yield {
          hash: data.toString('hex', start, start + HASH_BYTES),
          isPacked: data.readUInt8(metafile + 32) === IS_PACKED,
          bytes: data.subarray(from, end),
        };
      }
      at = data.indexOf(head, isWhole ? end : start);
    }
  }
}
