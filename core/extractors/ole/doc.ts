import { BoundedText, SCANTY_TEXT, type Shortfall } from '../bounded-text.ts';
import type { Extractor } from '../extractor.ts';
import { DEFAULT_PASSWORD, decryptBlocks, isRightsManaged, openRc4 } from '../office/office-encryption.ts';
import { CHARSETS, decodeCodePage } from '../text/code-page.ts';
import { textOutcome } from '../text-outcome.ts';
import { type CompoundFile, isCompoundFile, openCompoundFile } from './compound-file.ts';
import { type Extent, type FileInformation, isWordDocument, readFileInformation } from './doc-fib.ts';
import { writeFormFields } from './doc-form.ts';
import { type Piece, readPieces } from './doc-pieces.ts';
import { tableStrings } from './doc-strings.ts';
import { DocumentText } from './doc-text.ts';
import { writeDiagrams, writeDrawingTexts } from './office-art.ts';
import { embedPictures, writeMetafiles } from './office-art-picture.ts';
import { writeOleObjects } from './ole-object.ts';
import { writeProperties } from './ole-properties.ts';

const DOCUMENT = 'WordDocument';
const PICTURES = 'Data';
const WHOLE = Number.POSITIVE_INFINITY;

/** [MS-DOC] 2.2.6.2: each block has its own key. The start of the header is not encrypted. */
const CIPHER_BLOCK_BYTES = 512;
const PLAIN_HEADER_BYTES = 68;

/** [MS-DOC] 2.9.190: the header of a picture. The length of the header and the type follow the total length. */
const PICTURE_HEAD_BYTES = 68;
const PICTURE_MARK = Buffer.from([PICTURE_HEAD_BYTES, 0, 0x64, 0]);

/** Even, so that no two-byte character is split. */
const CHUNK_BYTES = 65_536;

/** Word 97 to 2003 ([MS-DOC]), Word 6 and 95, and Word 2, which has no container. */
export const doc: Extractor = {
  format: 'doc',
  version: 3,
  claims: ({ bytes }) =>
    isCompoundFile(bytes) ? openCompoundFile(bytes).has(DOCUMENT) : isWordDocument(buffer(bytes)),
  async extract(file, context) {
    const compound = openCompoundFile(file.bytes);
    const opened = isRightsManaged(compound) ? 'encrypted' : openDocument(compound, file.bytes);
    if (opened === 'encrypted') return { state: 'unsupported', format: 'doc', reason: 'encrypted' };
    const text = new BoundedText(context.maxCharacters);
    const packages: Buffer[] = [];
    let shortfall: Shortfall | null = opened === null ? 'damaged' : writeDocument(opened, text, packages);
    const pictures = buffer(compound.stream(PICTURES, WHOLE));
    writeFormFields(pictures, text);
    writePictures(pictures, text, packages);
    const diagrams = await writeDiagrams(packages, text, context.budget);
    shortfall ??= diagrams;
    for (const stream of [pictures, opened?.data ?? Buffer.alloc(0)]) {
      const metafiles = await writeMetafiles(stream, text, context);
      shortfall ??= metafiles;
    }
    writeProperties(compound, text);
    const isObject = (path: string) => /^objectpool\/[^/]+$/i.test(path);
    if (await writeOleObjects(compound, isObject, text, context)) shortfall ??= 'member_bound';
    if (text.contentLength < SCANTY_TEXT) {
      const left = await embedPictures([pictures, opened?.data ?? Buffer.alloc(0)], text, context);
      shortfall ??= left;
    }
    return textOutcome('doc', text, shortfall);
  },
};

type OpenDocument = { information: FileInformation; data: Buffer; tables: Buffer };

/** The decrypted streams. Null if they contain no document. */
function openDocument(compound: CompoundFile, bytes: Uint8Array): OpenDocument | 'encrypted' | null {
  const data = buffer(compound.stream(DOCUMENT, WHOLE) ?? bytes);
  if (!isWordDocument(data)) return null;
  const information = readFileInformation(data);
  const { encryption, tableStream, encryptionHeaderBytes } = information;
  const tables = tableStream === null ? data : buffer(compound.stream(tableStream, WHOLE));
  if (encryption === 'none') return { information, data, tables };
  const keys =
    encryption === 'cipher' ? openRc4(tables.subarray(0, encryptionHeaderBytes), DEFAULT_PASSWORD) : null;
  if (keys === null) return 'encrypted';
  const plain = buffer(decryptBlocks(data, CIPHER_BLOCK_BYTES, keys));
  plain.set(data.subarray(0, PLAIN_HEADER_BYTES));
  return {
    information: readFileInformation(plain),
    data: plain,
    tables: buffer(decryptBlocks(tables, CIPHER_BLOCK_BYTES, keys)),
  };
}

const buffer = (bytes: Uint8Array | null): Buffer =>
  bytes === null ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function writeDocument(
  { information, data, tables }: OpenDocument,
  text: BoundedText,
  packages: Buffer[],
): Shortfall | null {
  const pieces = readPieces(information, tables);
  const whole = pieces ?? [
    { start: information.text.start, count: information.text.size, bytesEach: 1, story: 0 },
  ];
  const isWhole = writePieces(
    whole,
    information.codePage ?? fontCodePage(part(tables, information.fonts)),
    data,
    text,
  );
  const { drawings, annotationOwners, people } = information;
  writeDrawings(part(tables, drawings), text, packages);
  writeOwners(part(tables, annotationOwners), text);
  for (const person of people.flatMap((table) => tableStrings(part(tables, table)))) {
    // The default author of changes without a known author.
    if (person !== 'Unknown') text.line(person);
  }
  return pieces === null || !isWhole ? 'damaged' : null;
}

/**
 * Returns false if text lies outside of the file. Overlapping pieces, which only hostile files have, end the reading.
 */
function writePieces(pieces: readonly Piece[], codePage: number, data: Buffer, text: BoundedText): boolean {
  const document = new DocumentText(text);
  let allowance = data.length;
  let isWhole = true;
  for (const { start, count, bytesEach, story } of pieces) {
    const end = start + count * bytesEach;
    allowance -= end - start;
    if (end > data.length || allowance < 0) isWhole = false;
    if (allowance < 0) break;
    for (let at = start; at < end && at < data.length && !text.full; at += CHUNK_BYTES) {
      const chunk = data.subarray(at, Math.min(end, at + CHUNK_BYTES));
      document.write(bytesEach === 2 ? chunk.toString('utf16le') : decodeCodePage(chunk, codePage), story);
    }
  }
  document.end();
  return isWhole;
}

const part = (tables: Buffer, { start, size }: Extent): Buffer => tables.subarray(start, start + size);

/** The code page of the first font in Word 6's font table that is not for Western European letters. */
function fontCodePage(fonts: Buffer): number {
  for (let at = 2; at + 5 <= fonts.length; at += 1 + fonts.readUInt8(at)) {
    const codePage = CHARSETS.get(fonts.readUInt8(at + 4)) ?? 1252;
    if (codePage !== 1252) return codePage;
  }
  return 1252;
}

/** [MS-DOC] 2.9.172: common drawing data, then a byte and the drawings of the main text and of the headers. */
function writeDrawings(art: Buffer, text: BoundedText, packages: Buffer[]): void {
  if (art.length < 8) return;
  let at = 8 + art.readUInt32LE(4);
  while (at + 9 <= art.length && !text.full) {
    const end = at + 9 + art.readUInt32LE(at + 5);
    writeDrawingTexts(art, at + 1, Math.min(end, art.length), text, packages);
    at = end;
  }
}

/** Inline pictures, each preceded by its length. Other data can lie between them. */
function writePictures(data: Buffer, text: BoundedText, packages: Buffer[]): void {
  for (let mark = data.indexOf(PICTURE_MARK, 4); mark >= 0 && !text.full; ) {
    const head = mark - 4;
    const end = Math.min(data.length, head + Math.max(PICTURE_HEAD_BYTES, data.readUInt32LE(head)));
    writeDrawingTexts(data, head + PICTURE_HEAD_BYTES, end, text, packages);
    mark = data.indexOf(PICTURE_MARK, end);
  }
}

/** Authors of comments, each preceded by its length. */
function writeOwners(owners: Buffer, text: BoundedText): void {
  for (let at = 0; at + 2 <= owners.length; ) {
    const end = at + 2 + owners.readUInt16LE(at) * 2;
    text.line(owners.toString('utf16le', at + 2, Math.min(end, owners.length)));
    at = end;
  }
}
