import type { BoundedText } from './bounded-text.ts';
import { MAX_PICTURE_PIXELS, type Ocr } from './ocr.ts';
import { type PdfStream, pdfStreams } from './pdf-streams.ts';

/** TIFF 6.0, sections 8 and 10 to 11: tags and the codings of a fax. */
const TAG = {
  width: 256,
  height: 257,
  compression: 259,
  photometric: 262,
  offset: 273,
  rows: 278,
  bytes: 279,
  t4: 292,
} as const;
const GROUP_3 = 3;
const GROUP_4 = 4;
const LONG = 4;
const ENTRY_BYTES = 12;

/** ISO 32000-1, table 11: what is meant where nothing is said. */
const FAX_COLUMNS = 1728;

/** The only coding of a stream, be it named alone or in a list. */
const IS_FAX = /\/Filter\s{0,9}(?:\[\s{0,9})?\/(?:CCITTFaxDecode|CCF)\b/;
const IS_IMAGE = /\/Subtype\s{0,9}\/Image\b/;

/** An integer, not the reference to one that lies elsewhere. */
const INTEGER = '\\s{0,9}(-?\\d{1,9})\\b(?!\\s{1,9}\\d{1,9}\\s{1,9}R)';
const WIDTH = new RegExp(`/Width${INTEGER}`);
const HEIGHT = new RegExp(`/Height${INTEGER}`);
const COLUMNS = new RegExp(`/Columns${INTEGER}`);
const K = new RegExp(`/K${INTEGER}`);

const integer = (pattern: RegExp, dictionary: string): number | null => {
  const value = pattern.exec(dictionary)?.[1];
  return value === undefined ? null : Number(value);
};

/** The size of the picture that a stream is, where its dictionary tells; null for other streams. */
export function pdfPictureSize(dictionary: string): { width: number; height: number } | null {
  if (!IS_IMAGE.test(dictionary)) return null;
  const [width, height] = [integer(WIDTH, dictionary), integer(HEIGHT, dictionary)];
  return width === null || height === null ? null : { width, height };
}

/**
 * Appends the text of pictures coded as a fax (CCITT), which the reader of PDF leaves coded but readers of TIFF know.
 * @returns how many were read
 */
export async function writeFaxes(data: Buffer, text: BoundedText, ocr: Ocr): Promise<number> {
  let read = 0;
  for (const stream of pdfStreams(data)) {
    if (text.full) return read;
    const size = pdfPictureSize(stream.dictionary);
    if (size === null || !IS_FAX.test(stream.dictionary)) continue;
    const width = integer(COLUMNS, stream.dictionary) ?? FAX_COLUMNS;
    if (width * size.height > MAX_PICTURE_PIXELS) continue;
    const outcome = await ocr.read(faxFile(data, stream, width, size.height), 1);
    if ('failed' in outcome) continue;
    text.line(outcome.text);
    read++;
  }
  return read;
}

/** The stream as a TIFF file of one strip. */
function faxFile(data: Buffer, { dictionary, start, end }: PdfStream, width: number, height: number): Buffer {
  const k = integer(K, dictionary) ?? 0;
  const isInverted =
    /\/BlackIs1\s{0,9}true\b/.test(dictionary) !== /\/Decode\s{0,9}\[\s{0,9}1/.test(dictionary);
  const entries: [number, number][] = [
    [TAG.width, width],
    [TAG.height, height],
    [TAG.compression, k < 0 ? GROUP_4 : GROUP_3],
    [TAG.photometric, isInverted ? 1 : 0],
    [TAG.offset, 8],
    [TAG.rows, height],
    [TAG.bytes, end - start],
    [TAG.t4, k > 0 ? 1 : 0],
  ];
  const directory = Buffer.alloc(2 + entries.length * ENTRY_BYTES + 4);
  directory.writeUInt16LE(entries.length);
  for (const [index, [tag, value]] of entries.entries()) {
    const at = 2 + index * ENTRY_BYTES;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(LONG, at + 2);
    directory.writeUInt32LE(1, at + 4);
    directory.writeUInt32LE(value, at + 8);
  }
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(head.length + end - start, 4);
  return Buffer.concat([head, data.subarray(start, end), directory]);
}
