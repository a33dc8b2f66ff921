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
