import { BoundedText, type Shortfall } from '../bounded-text.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { EmfText } from './emf-text.ts';

/** [MS-EMF]: each record has a type, a size and data. The first has a signature. */
const HEADER = 1;
const MARK = Buffer.from(' EMF');
const MARK_AT = 40;
const HEAD_BYTES = 8;

const COMMENT = 70;
/** The identifiers of a public comment, and of its kinds (2.3.3.4). */
const PUBLIC = 0x43494447;
const FORMATS = 0x40000004;
const PUBLIC_AT = 12;
const KIND_AT = 16;
/** The number of formats. For each format, a signature, a version, a size and an offset from `PUBLIC_AT`. */
const COUNT_AT = 36;
const FORMAT_BYTES = 16;

export function isEmf(bytes: Uint8Array): boolean {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.length < MARK_AT + MARK.length || data.readUInt32LE(0) !== HEADER) return false;
  return MARK.equals(data.subarray(MARK_AT, MARK_AT + MARK.length));
}

/**
 * Appends the text of a metafile and the files in it. Office for Mac also stores the picture as a PDF. Returns why
 * some were left out.
 */
export async function writeEmf(
  bytes: Uint8Array,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = new EmfText(text);
  const files: Buffer[] = [];
  for (const { type, record } of records(data)) {
    if (text.full) break;
    if (type === COMMENT) files.push(...otherFormats(record));
    else words.read(type, record);
  }
  text.separate('\n');
  for (const file of files) {
    if (text.full) return null;
    if (context.budget.members <= 0) return 'member_bound';
    context.budget.members--;
    await context.embedded({ name: '', mimeType: null, bytes: file }, text);
  }
  return null;
}

function* records(data: Buffer): Generator<{ type: number; record: Buffer }> {
  for (let at = 0; at + HEAD_BYTES <= data.length; ) {
    const size = data.readUInt32LE(at + 4);
    if (size < HEAD_BYTES) return;
    yield { type: data.readUInt32LE(at), record: data.subarray(at, at + size) };
    at += size;
  }
}

/** The same picture in other formats. They do not overlap, except in a hostile file. */
function otherFormats(record: Buffer): Buffer[] {
  if (record.length < COUNT_AT + 4) return [];
  if (record.readUInt32LE(PUBLIC_AT) !== PUBLIC || record.readUInt32LE(KIND_AT) !== FORMATS) return [];
  const files: Buffer[] = [];
  let reached = 0;
  for (let left = record.readUInt32LE(COUNT_AT), at = COUNT_AT + 4; left > 0; left--, at += FORMAT_BYTES) {
    if (at + FORMAT_BYTES > record.length) break;
    const start = PUBLIC_AT + record.readUInt32LE(at + 12);
    const end = start + record.readUInt32LE(at + 8);
    if (start < reached || end > record.length) break;
    files.push(record.subarray(start, end));
    reached = end;
  }
  return files;
}

/** Windows metafiles. Only the text in the drawing is read. */
export const emf: Extractor = {
  format: 'emf',
  version: 2,
  claims: ({ bytes }) => isEmf(bytes),
  async extract({ bytes }, context) {
    const text = new BoundedText(context.maxCharacters);
    const shortfall = await writeEmf(bytes, text, context);
    if (text.length === 0 && shortfall === null) {
      return { state: 'unsupported', format: 'image', reason: 'unknown_format' };
    }
    return textOutcome('emf', text, shortfall);
  },
};
