import { charged } from '../archive/zip.ts';
import type { Shortfall } from '../bounded-text.ts';
import { Damaged, isDamage } from '../damage.ts';
import { hold } from '../embedded.ts';
import type { ExtractionBudget } from '../extractor.ts';
import { bytesIn, numberIn, readVarint } from './protobuf.ts';
import { unsnapped } from './snappy.ts';

/** One object of a document. Its message is a range of shared bytes, because there can be very many objects. */
export type IwaObject = { id: number; type: number; bytes: Buffer; start: number; end: number };

export const messageOf = ({ bytes, start, end }: IwaObject): Buffer => bytes.subarray(start, end);

const CHUNK_HEADER_BYTES = 4;
/** Fields of `TSP.ArchiveInfo` and `TSP.MessageInfo`. */
const IDENTIFIER = 1;
const MESSAGE_INFOS = 2;
const TYPE = 1;
const LENGTH = 3;

/**
 * Calls back with each object of an `.iwa` file. Returns why objects are missing, if any are. Charges inflated bytes
 * to the budget.
 */
export async function readIwa(
  packed: Buffer,
  budget: ExtractionBudget,
  see: (object: IwaObject) => void,
): Promise<Shortfall | null> {
  const { bytes, shortfall } = await hold(charged(chunks(packed), budget), packed.length);
  try {
    for (const object of objectsOf(bytes)) see(object);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return shortfall ?? 'damaged';
  }
  return shortfall;
}

/** Chunks as in the Snappy framing format, without stream identifier and checksums. */
function* chunks(packed: Buffer): Generator<Buffer> {
  let at = 0;
  while (at < packed.length) {
    const start = at + CHUNK_HEADER_BYTES;
    if (start > packed.length || packed.readUInt8(at) !== 0) throw new Damaged('iwa_chunk_unknown');
    at = start + packed.readUIntLE(at + 1, 3);
    const { bytes, whole } = unsnapped(packed.subarray(start, at));
    yield bytes;
    if (!whole) throw new Damaged('iwa_chunk_broken');
  }
}

/**
 * Each object has the length of its header, the header, and the messages that the header lists. Messages after the
 * first are changes to it.
 */
function* objectsOf(bytes: Buffer): Generator<IwaObject> {
  let at = 0;
  while (at < bytes.length) {
    const { value: length, end } = readVarint(bytes, at);
    at = end + length;
    if (at > bytes.length) throw new Damaged('iwa_cut');
    const header = bytes.subarray(end, at);
    const id = numberIn(header, IDENTIFIER) ?? 0;
    let isFirst = true;
    for (const info of bytesIn(header, MESSAGE_INFOS)) {
      const start = at;
      const size = numberIn(info, LENGTH) ?? 0;
      // A file can contain any number. A negative one would cause an endless loop.
      if (!(size >= 0)) throw new Damaged('iwa_length_negative');
      at += size;
      if (isFirst) yield { id, type: numberIn(info, TYPE) ?? 0, bytes, start, end: at };
      if (at > bytes.length) throw new Damaged('iwa_cut');
      isFirst = false;
    }
  }
}
