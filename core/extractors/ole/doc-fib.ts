import { codePageOfLanguage } from '../text/code-page.ts';

/** The first word of a document: Word 97 to 2003, Word 6 and 95, Word 2. */
const WORD_97 = 0xa5ec;
const WORD_2 = 0xa5db;
const SIGNATURES: ReadonlySet<number> = new Set([WORD_97, 0xa5dc, WORD_2]);
/** Twice the version of the last Word that wrote this format. Two letters of a text are more. */
const MAX_VERSION = 0x200;
/** From this version on, the header is longer and tables are in a stream of their own. */
const FIRST_WITH_TABLE_STREAM = 106;
const IS_COMPLEX = 0x0004;
const IS_ENCRYPTED = 0x0100;
const USES_TABLE_1 = 0x0200;
const IS_OBFUSCATED = 0x8000;
const MACINTOSH = 256;
const WESTERN = 1252;

/** Start and size in bytes, as stated in the header. */
export type Extent = { start: number; size: number };

const NOWHERE: Extent = { start: 0, size: 0 };

/**
 * The part of the file information block of a Word document that is used ([MS-DOC] 2.5). Word 6 and 95 have a shorter
 * one.
 */
export type FileInformation = {
  /** Null before Word 97, where tables are in the main stream. */
  tableStream: '0Table' | '1Table' | null;
  encryption: 'none' | 'cipher' | 'obfuscation';
  /** The size of the encryption header at the start of the table stream. */
  encryptionHeaderBytes: number;
  /** The code page of text that is not Unicode. Null if the fonts determine it. */
  codePage: number | null;
  fonts: Extent;
  /** Where the text is if there is no piece table. */
  text: Extent;
  pieces: Extent;
  /**
   * Character counts of the main text, footnotes, headers, macros, comments, endnotes and text boxes, in this order.
   */
  stories: number[];
  drawings: Extent;
  annotationOwners: Extent;
  /** String tables: authors of changes, and who saved the document where. */
  people: Extent[];
};

export function isWordDocument(data: Buffer): boolean {
  return data.length >= 0x200 && SIGNATURES.has(data.readUInt16LE(0)) && data.readUInt16LE(2) < MAX_VERSION;
}

/** Reads the header of a stream or file for which `isWordDocument` is true. */
export function readFileInformation(data: Buffer): FileInformation {
  const flags = data.readUInt16LE(10);
  const start = data.readUInt32LE(24);
  const common = {
    encryption:
      (flags & IS_ENCRYPTED) === 0
        ? ('none' as const)
        : (flags & IS_OBFUSCATED) === 0
          ? ('cipher' as const)
          : ('obfuscation' as const),
    text: { start, size: Math.max(0, data.readUInt32LE(28) - start) },
  };
  if (data.readUInt16LE(0) !== WORD_97 || data.readUInt16LE(2) < FIRST_WITH_TABLE_STREAM) {
    const codePage = codePageOfLanguage(data.readUInt16LE(6));
    const isMacintosh = data.readUInt16LE(20) === MACINTOSH;
    return {
      ...common,
      // Only the obfuscation with a password hash existed.
      encryption: common.encryption === 'none' ? 'none' : 'obfuscation',
      tableStream: null,
      encryptionHeaderBytes: 0,
      // Many non-English systems stated English.
      codePage: isMacintosh ? 10_000 : codePage === WESTERN ? null : codePage,
      fonts: data.readUInt16LE(0) === WORD_2 ? NOWHERE : extentAt(data, 0xd0),
      pieces: (flags & IS_COMPLEX) === 0 ? NOWHERE : extentAt(data, 0x160),
      stories: Array.from({ length: 8 }, (_, index) => data.readUInt32LE(0x34 + index * 4)),
      drawings: NOWHERE,
      annotationOwners: NOWHERE,
      people: [],
    };
  }
  // Three parts, each preceded by its count: words, double words, and pairs of offset and size.
  const longsAt = 34 + data.readUInt16LE(32) * 2 + 2;
  const extentsAt = longsAt + wordAt(data, longsAt - 2) * 4 + 2;
  const extent = (index: number) =>
    index < wordAt(data, extentsAt - 2) ? extentAt(data, extentsAt + index * 8) : NOWHERE;
  return {
    ...common,
    tableStream: (flags & USES_TABLE_1) === 0 ? '0Table' : '1Table',
    encryptionHeaderBytes: data.readUInt32LE(14),
    codePage: WESTERN,
    fonts: NOWHERE,
    pieces: extent(33),
    stories: Array.from({ length: 8 }, (_, index) => longAt(data, longsAt + (3 + index) * 4)),
    drawings: extent(50),
    annotationOwners: extent(36),
    people: [extent(51), extent(71)],
  };
}

const wordAt = (data: Buffer, at: number) => (at + 2 <= data.length ? data.readUInt16LE(at) : 0);
const longAt = (data: Buffer, at: number) => (at + 4 <= data.length ? data.readUInt32LE(at) : 0);
const extentAt = (data: Buffer, at: number): Extent => ({
  start: longAt(data, at),
  size: longAt(data, at + 4),
});
