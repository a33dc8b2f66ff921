import { BoundedText, type Shortfall } from '../bounded-text.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { ByteStream } from './byte-stream.ts';
import { decodedName, readMember } from './member.ts';
import { shortfallOf, slices } from './zip.ts';

const BLOCK_BYTES = 512;
export const TAR_HEAD_BYTES = BLOCK_BYTES;
const MAGIC = Buffer.from('ustar');
const MAGIC_AT = 257;
/** Types of entries (POSIX.1-2017, pax): files, and names that are too long for the header of the next entry. */
const FILES = new Set(['0', '7', '\0']);
const GNU_LONG_NAME = 'L';
const PAX = 'x';
const MAX_NAME_BYTES = 65_536;

type Entry = { name: string; type: string; size: number };

const nameBytes = ({ size }: Entry) => Math.min(size, MAX_NAME_BYTES);

const fieldAt = (data: Buffer, from: number, length = data.length) => {
  const field = data.subarray(from, from + length);
  const end = field.indexOf(0);
  return end < 0 ? field : field.subarray(0, end);
};

/** A size is octal, or binary if its first bit is set, as GNU writes large ones. */
function sizeAt(data: Buffer, at: number): number {
  if (((data[at] ?? 0) & 0x80) !== 0) return Number(data.readBigUInt64BE(at + 4));
  return Number.parseInt(fieldAt(data, at, 12).toString('latin1').trim() || '0', 8);
}

export const isTar = (head: Uint8Array): boolean =>
  MAGIC.equals(head.subarray(MAGIC_AT, MAGIC_AT + MAGIC.length));

/** Null at the end of the archive, which is a block of zeros, and at bytes that are no header. */
function entryAt(header: Buffer): Entry | null {
  if (!isTar(header) || header.length < BLOCK_BYTES) return null;
  const size = sizeAt(header, 124);
  if (!Number.isSafeInteger(size) || size < 0) return null;
  // GNU has times in the place of the prefix, and marks it by a space behind the magic.
  const prefix = header[MAGIC_AT + MAGIC.length] === 0 ? fieldAt(header, 345, 155) : Buffer.alloc(0);
  const name = fieldAt(header, 0, 100);
  return {
    name: decodedName(prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name])),
    type: String.fromCharCode(header[156] ?? 0),
    size,
  };
}

/** The path in the records of pax, or null. */
const paxPath = (records: string) => /^\d{1,9} path=(.{1,4096})$/m.exec(records)?.[1] ?? null;

/** Tar archives: the path of every file, and its text if its format is read. */
export const tar: Extractor = {
  format: 'tar',
  version: 2,
  kind: 'archive',
  claims: ({ bytes }) => isTar(bytes),
  async extract({ bytes }, context) {
    const text = new BoundedText(context.maxCharacters);
    const stream = new ByteStream(slices(bytes));
    return textOutcome('tar', text, await readTar(stream, bytes.length, text, context));
  },
};

/**
 * Reads the entries of a tar archive as they come, so that no more than one file is held.
 * @param packedBytes the size of the archive as it is stored
 * @returns why it was not read to its end, if so
 */
export async function readTar(
  stream: ByteStream,
  packedBytes: number,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  let longName: string | null = null;
  let shortfall: Shortfall | null = null;
  try {
    while (!text.full) {
      const header = await stream.take(BLOCK_BYTES);
      const entry = entryAt(header);
      if (entry === null) return header.every((byte) => byte === 0) ? shortfall : 'damaged';
      if (context.budget.members <= 0) return 'member_bound';
      context.budget.members--;
      const end = stream.position + Math.ceil(entry.size / BLOCK_BYTES) * BLOCK_BYTES;
      if (entry.type === GNU_LONG_NAME)
        longName = decodedName(fieldAt(await stream.take(nameBytes(entry)), 0));
      else if (entry.type === PAX) longName = paxPath((await stream.take(nameBytes(entry))).toString());
      else {
        if (FILES.has(entry.type)) {
          const name = longName ?? entry.name;
          const read = await readMember(
            { name, packedBytes, chunks: stream.part(entry.size) },
            text,
            context,
          );
          if (read === 'inflated_bound') return read;
          shortfall ??= read;
        }
        longName = null;
      }
      await stream.skipTo(end);
    }
  } catch (error) {
    return shortfallOf(error);
  }
  return shortfall;
}
