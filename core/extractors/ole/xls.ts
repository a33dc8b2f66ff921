import { BoundedText, SCANTY_TEXT, type Shortfall } from '../bounded-text.ts';
import type { Extractor } from '../extractor.ts';
import { isRightsManaged } from '../office/office-encryption.ts';
import { textOutcome } from '../text-outcome.ts';
import { type CompoundFile, isCompoundFile, openCompoundFile } from './compound-file.ts';
import { writeDiagrams } from './office-art.ts';
import { embedPictures, writeMetafiles } from './office-art-picture.ts';
import { writeOleObjects } from './ole-object.ts';
import { writeProperties } from './ole-properties.ts';
import { plainStream } from './xls-encryption.ts';
import { writeWorkbook } from './xls-workbook.ts';

/** The newer one first, because some files contain the same workbook for both versions. */
const STREAMS = ['Workbook', 'Book'];
const WHOLE = Number.POSITIVE_INFINITY;
/** Pivot tables store the rows that they were made from. */
const PIVOT_CACHE = /^_sx_db_cur\//i;
const OBJECT = /^mbd[^/]+$/i;

/** Before compound files, a workbook began with a record of this type, a size of 4 to 16, and a kind of sheet. */
const isBareStream = (bytes: Uint8Array) =>
  bytes[0] === 0x09 &&
  [0, 2, 4, 8].includes(bytes[1] ?? -1) &&
  (bytes[2] ?? 0) >= 4 &&
  (bytes[2] ?? 0) <= 16 &&
  bytes[3] === 0 &&
  [0x05, 0x10, 0x20, 0x40, 0x00].includes(bytes[6] ?? -1) &&
  (bytes[7] ?? 2) <= 1;

const streamName = (compound: CompoundFile) => STREAMS.find((name) => compound.has(name));

/**
 * Excel 2 to 2003 ([MS-XLS] and its predecessors): cells of all sheets, comments, text boxes, headers, names, links.
 */
export const xls: Extractor = {
  format: 'xls',
  version: 3,
  claims: ({ bytes }) =>
    isCompoundFile(bytes) ? streamName(openCompoundFile(bytes)) !== undefined : isBareStream(bytes),
  async extract(file, context) {
    const compound = openCompoundFile(file.bytes);
    const found = isCompoundFile(file.bytes)
      ? compound.stream(streamName(compound) ?? '', WHOLE)
      : file.bytes;
    const stream = asBuffer(found ?? new Uint8Array());
    const plain = isRightsManaged(compound) ? null : plainStream(stream);
    if (plain === null) return { state: 'unsupported', format: 'xls', reason: 'encrypted' };
    const text = new BoundedText(context.maxCharacters);
    const packages: Buffer[] = [];
    const pictures: Buffer[] = [];
    let shortfall: Shortfall | null = writeWorkbook(plain, text, packages, pictures);
    for (const { path } of compound.entries()) {
      // The caches of an encrypted workbook are encrypted separately.
      const cache = plain === stream && PIVOT_CACHE.test(path) ? compound.stream(path, WHOLE) : null;
      if (cache !== null) writeWorkbook(asBuffer(cache), text, packages, pictures);
    }
    const diagrams = await writeDiagrams(packages, text, context.budget);
    shortfall ??= diagrams;
    const metafiles = await writeMetafiles(Buffer.concat(pictures), text, context);
    shortfall ??= metafiles;
    writeProperties(compound, text);
    const isObject = (path: string) => OBJECT.test(path);
    if (await writeOleObjects(compound, isObject, text, context)) shortfall ??= 'member_bound';
    if (text.contentLength < SCANTY_TEXT) {
      const left = await embedPictures(pictures, text, context);
      shortfall ??= left;
    }
    return textOutcome('xls', text, shortfall);
  },
};

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
