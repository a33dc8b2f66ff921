import { compoundFile } from './compound-file.ts';

const TEXT_AT = 0x400;
const EXTENTS_AT = 154;
const EXTENTS = 93;
const PIECES = 33;

/** Text in UTF-16, or in windows-1252 if `compressed`. */
type DocPiece = { text: string; compressed?: boolean };

export type DocParts = {
  pieces: readonly DocPiece[];
  /** Character counts of the stories. By default, all is main text. */
  stories?: readonly number[];
  /** Data of the table stream, by their index in the header's list. */
  tables?: Readonly<Record<number, Buffer>>;
  flags?: number;
};

/** The two streams of a Word 97 document, and the offset of its piece table. */
export function docStreams({ pieces, stories, tables = {}, flags = 0 }: DocParts) {
  const texts = pieces.map(({ text, compressed }) => Buffer.from(text, compressed ? 'latin1' : 'utf16le'));
  const count = pieces.reduce((sum, { text }) => sum + text.length, 0);
  const plan = Buffer.alloc(5 + (pieces.length + 1) * 4 + pieces.length * 8);
  plan.writeUInt8(2, 0);
  plan.writeUInt32LE(plan.length - 5, 1);
  let character = 0;
  let place = TEXT_AT;
  for (const [index, { text, compressed }] of pieces.entries()) {
    plan.writeUInt32LE(character, 5 + index * 4);
    plan.writeUInt32LE(
      compressed ? place * 2 + 0x4000_0000 : place,
      5 + (pieces.length + 1) * 4 + index * 8 + 2,
    );
    character += text.length;
    place += texts[index]?.length ?? 0;
  }
  plan.writeUInt32LE(character, 5 + pieces.length * 4);

  const header = Buffer.alloc(TEXT_AT);
  header.writeUInt16LE(0xa5ec, 0);
  header.writeUInt16LE(0xc1, 2);
  header.writeUInt16LE(0x0200 | flags, 10);
  header.writeUInt32LE(TEXT_AT, 24);
  header.writeUInt32LE(place, 28);
  header.writeUInt16LE(14, 32);
  header.writeUInt16LE(22, 62);
  for (const [index, size] of (stories ?? [count]).entries()) header.writeUInt32LE(size, 76 + index * 4);
  header.writeUInt16LE(EXTENTS, EXTENTS_AT - 2);
  let tableAt = 0;
  const all = { ...tables, [PIECES]: plan };
  for (const [index, table] of Object.entries(all)) {
    header.writeUInt32LE(tableAt, EXTENTS_AT + Number(index) * 8);
    header.writeUInt32LE(table.length, EXTENTS_AT + Number(index) * 8 + 4);
    tableAt += table.length;
  }
  return { document: Buffer.concat([header, ...texts]), table: Buffer.concat(Object.values(all)) };
}

/** A Word 97 document with further streams. */
export function docFile(
  parts: DocParts,
  more: Readonly<Record<string, Uint8Array | string>> = {},
): Uint8Array {
  const { document, table } = docStreams(parts);
  return compoundFile({ WordDocument: document, '1Table': table, ...more });
}

/** A Word 6 document in a code page, without a piece table and with one byte per character. */
export const word6File = (
  text: Buffer,
  options?: { language?: number; fonts?: Buffer<ArrayBuffer> },
): Uint8Array => compoundFile({ WordDocument: word6Stream(text, options) });

/** The stream of such a document. For Word 2 it is the whole file. */
export function word6Stream(
  text: Buffer,
  { language = 0x409, fonts = Buffer.alloc(0), signature = 0xa5dc } = {},
): Buffer {
  const header = Buffer.alloc(TEXT_AT);
  header.writeUInt16LE(signature, 0);
  header.writeUInt16LE(0x65, 2);
  header.writeUInt16LE(language, 6);
  header.writeUInt32LE(TEXT_AT, 24);
  header.writeUInt32LE(TEXT_AT + text.length, 28);
  header.writeUInt32LE(text.length, 0x34);
  header.writeUInt32LE(TEXT_AT + text.length, 0xd0);
  header.writeUInt32LE(fonts.length, 0xd4);
  return Buffer.concat([header, text, fonts]);
}

/** A table of strings in Word's format. */
export function stringTable(...texts: string[]): Buffer {
  const head = Buffer.from([0xff, 0xff, texts.length, 0, 0, 0]);
  return Buffer.concat([
    head,
    ...texts.flatMap((text) => [Buffer.from([text.length, 0]), Buffer.from(text, 'utf16le')]),
  ]);
}
