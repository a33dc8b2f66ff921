import { charged } from '../archive/zip.ts';
import type { Shortfall } from '../bounded-text.ts';
import { hold } from '../embedded.ts';
import type { ExtractionBudget } from '../extractor.ts';
import { bytesIn, numberIn, readVarint } from './protobuf.ts';
import { unsnapped } from './snappy.ts';

/** One object of a document. Its message lies between two places of the bytes, since there may be very many. */
export type IwaObject = { id: number; type: number; bytes: Buffer; start: number; end: number };

export const messageOf = ({ bytes, start, end }: IwaObject): Buffer => bytes.subarray(start, end);

const CHUNK_HEADER_BYTES = 4;
/** Fields of `TSP.ArchiveInfo` and `TSP.MessageInfo`. */
const IDENTIFIER = 1;
const MESSAGE_INFOS = 2;
const TYPE = 1;
const LENGTH = 3;

/**
 * Calls with each object of one `.iwa` file. Answers why there are no more of them, if not because that is all.
 * What is inflated is paid for.
 */
export async function readIwa(
  packed: Buffer,
  budget: ExtractionBudget,
  see: (object: IwaObject) => void,
): Promise<Shortfall | null> {
  const { bytes, shortfall } = await hold(charged(chunks(packed), budget), packed.length);
  try {
    for (const object of objectsOf(bytes)) see(object);
  } catch {
    return shortfall ?? 'damaged';
  }
  return shortfall;
}

/** Chunks as in Snappy's framing format, but without its stream identifier and checksums. */
function* chunks(packed: Buffer): Generator<Buffer> {
  let at = 0;
  while (at < packed.length) {
    const start = at + CHUNK_HEADER_BYTES;
    if (start > packed.length || packed.readUInt8(at) !== 0) throw new Error('iwa_chunk_unknown');
    at = start + packed.readUIntLE(at + 1, 3);
    const { bytes, whole } = unsnapped(packed.subarray(start, at));
    yield bytes;
    if (!whole) throw new Error('iwa_chunk_broken');
  }
}

/** Each object: the length of its header, the header, the messages that it lists. All but the first are changes to it. */
function* objectsOf(bytes: Buffer): Generator<IwaObject> {
  let at = 0;
  while (at < bytes.length) {
    const { value: length, end } = readVarint(bytes, at);
    at = end + length;
    if (at > bytes.length) throw new Error('iwa_cut');
    const header = bytes.subarray(end, at);
    const id = numberIn(header, IDENTIFIER) ?? 0;
    let isFirst = true;
    for (const info of bytesIn(header, MESSAGE_INFOS)) {
      const start = at;
      const size = numberIn(info, LENGTH) ?? 0;
      // The file may write any kind of number; one that leads back would never end.
      if (!(size >= 0)) throw new Error('iwa_length_negative');
      at += size;
      if (isFirst) yield { id, type: numberIn(info, TYPE) ?? 0, bytes, start, end: at };
      if (at > bytes.length) throw new Error('iwa_cut');
      isFirst = false;
    }
  }
}
