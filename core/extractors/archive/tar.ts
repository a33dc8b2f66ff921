import { BoundedText, type Shortfall } from '../bounded-text.ts';
import { mostHeld } from '../embedded.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';

const BLOCK_BYTES = 512;
const MAGIC = Buffer.from('ustar');
const MAGIC_AT = 257;
/** Types of entries (POSIX.1-2017, pax): files, and names that are too long for the header of the next entry. */
const FILES = new Set(['0', '7', '\0']);
const GNU_LONG_NAME = 'L';
const PAX = 'x';
const MAX_NAME_BYTES = 65_536;

type Entry = { name: string; type: string; size: number };

const textAt = (data: Buffer, from: number, length: number) => {
  const field = data.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
};

/** A size is octal, or binary if its first bit is set, as GNU writes large ones. */
function sizeAt(data: Buffer, at: number): number {
  if (((data[at] ?? 0) & 0x80) !== 0) return Number(data.readBigUInt64BE(at + 4));
  return Number.parseInt(textAt(data, at, 12).trim() || '0', 8);
}

/** Null at the end of the archive, which is a block of zeros, and at bytes that are no header. */
function entryAt(data: Buffer, at: number): Entry | null {
  const header = data.subarray(at, at + BLOCK_BYTES);
  if (!MAGIC.equals(header.subarray(MAGIC_AT, MAGIC_AT + MAGIC.length))) return null;
  const size = sizeAt(header, 124);
  if (!Number.isSafeInteger(size) || size < 0) return null;
  // GNU has times in the place of the prefix, and marks it by a space behind the magic.
  const prefix = header[MAGIC_AT + MAGIC.length] === 0 ? textAt(header, 345, 155) : '';
  const name = textAt(header, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    type: String.fromCharCode(header[156] ?? 0),
    size,
  };
}

/** The path in the records of pax, or null. */
const paxPath = (records: string) => /^\d{1,9} path=(.{1,4096})$/m.exec(records)?.[1] ?? null;

/** Tar archives: the path of every file, and its text if its format is read. */
export const tar: Extractor = {
  format: 'tar',
  version: 1,
  kind: 'archive',
  claims: ({ bytes }) => MAGIC.equals(bytes.subarray(MAGIC_AT, MAGIC_AT + MAGIC.length)),
  async extract(file, context) {
    const data = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength);
    const text = new BoundedText(context.maxCharacters);
    return textOutcome('tar', text, await readEntries(data, text, context));
  },
};

async function readEntries(
  data: Buffer,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  let longName: string | null = null;
  let shortfall: Shortfall | null = null;
  let at = 0;
  while (!text.full && at < data.length) {
    const entry = entryAt(data, at);
    if (entry === null)
      return data.subarray(at, at + BLOCK_BYTES).every((byte) => byte === 0) ? shortfall : 'damaged';
    if (context.budget.members <= 0) return 'member_bound';
    context.budget.members--;
    const from = at + BLOCK_BYTES;
    const content = data.subarray(from, from + entry.size);
    at = from + Math.ceil(entry.size / BLOCK_BYTES) * BLOCK_BYTES;
    if (entry.type === GNU_LONG_NAME) longName = textAt(content, 0, Math.min(entry.size, MAX_NAME_BYTES));
    else if (entry.type === PAX) longName = paxPath(content.toString('utf8', 0, MAX_NAME_BYTES));
    else {
      const missing = readShortfall(entry, content);
      if (FILES.has(entry.type)) {
        const bytes = missing === 'member_bound' ? content.subarray(0, mostHeld(entry.size)) : content;
        const name = longName ?? entry.name;
        await context.embedded({ name, mimeType: null, bytes, shortfall: missing }, text);
        shortfall ??= missing;
      }
      longName = null;
    }
  }
  return shortfall;
}

function readShortfall({ size }: Entry, content: Buffer): Shortfall | null {
  if (content.length < size) return 'damaged';
  return size > mostHeld(size) ? 'member_bound' : null;
}
