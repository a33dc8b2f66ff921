import { Damaged, isDamage } from '../damage.ts';
import { pictureHead } from './picture-head.ts';
import type { PdfImage } from './picture-pdf.ts';
import { isTiff, type TiffDirectory, tiffDirectory } from './tiff-directory.ts';

/** TIFF 6.0, sections 8, 15 and 22, and technical note 2, which redefined JPEG compression. */
const TAG = {
  width: 256,
  height: 257,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  samples: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  planes: 284,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  tables: 347,
  interchange: 513,
  interchangeBytes: 514,
} as const;
const OLD_JPEG = 6;
const JPEG = 7;
const WHITE_IS_ZERO = 0;
const YCBCR = 6;
const ONE_FOR_EACH_SAMPLE = 2;

/** The most strips or tiles of a page. Pictures of an acceptable size have fewer. */
const MAX_PARTS = 10_000;
/** More than the largest possible JPEG tables. */
const MAX_TABLES_BYTES = 4_096;
const MARKER_BYTES = 2;

/**
 * The JPEG-coded parts of a TIFF's first page, because Tesseract's TIFF reader is built without JPEG. Null for other
 * codings, and for a page whose directory lies outside the file.
 */
export function tiffJpegs(data: Buffer): PdfImage[] | null {
  if (!isTiff(data)) return null;
  try {
    const directory = tiffDirectory(data);
    const coding = directory.number(TAG.compression);
    if (coding === JPEG) return parts(data, directory);
    return coding === OLD_JPEG ? interchanged(data, directory) : null;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return null;
  }
}

function parts(data: Buffer, directory: TiffDirectory): PdfImage[] {
  const numberOr = (tag: number, otherwise: number) => directory.number(tag) ?? otherwise;
  const [pageWidth, pageHeight] = [numberOr(TAG.width, 0), numberOr(TAG.height, 0)];
  const isTiled = directory.number(TAG.tileOffsets) !== null;
  const width = isTiled ? numberOr(TAG.tileWidth, 0) : pageWidth;
  const height = isTiled
    ? numberOr(TAG.tileHeight, 0)
    : Math.min(numberOr(TAG.rowsPerStrip, pageHeight), pageHeight);
  const offsets = directory.numbers(isTiled ? TAG.tileOffsets : TAG.stripOffsets);
  const lengths = directory.numbers(isTiled ? TAG.tileBytes : TAG.stripBytes);
  const tables = directory.bytes(TAG.tables).subarray(MARKER_BYTES, -MARKER_BYTES);
  const columns = Math.ceil(pageWidth / width);
  // If each sample has its own plane, the first plane serves as grey.
  const count = columns * Math.ceil(pageHeight / height);
  if (!(count > 0 && count <= MAX_PARTS)) throw new Damaged('tiff_parts');
  const coded = Array.from({ length: count }, (_, index) => {
    const from = offsets[index] ?? data.length;
    return data.subarray(from, from + (lengths[index] ?? 0));
  });
  // Each part is copied with the tables. If the parts overlapped, they would multiply the size of the file.
  const bytes = coded.reduce((total, { length }) => total + length, 0);
  if (bytes > data.length || tables.length > MAX_TABLES_BYTES) throw new Damaged('tiff_parts');
  const isPlane = directory.number(TAG.planes) === ONE_FOR_EACH_SAMPLE;
  const samples = isPlane ? 1 : numberOr(TAG.samples, 1);
  const photometric = directory.number(TAG.photometric);
  return coded.map((part, index) => {
    const jpeg = Buffer.concat([startOf(samples, photometric), tables, part.subarray(MARKER_BYTES)]);
    // Parts at the edge can be cropped or padded.
    const own = pictureHead(jpeg);
    return {
      x: (index % columns) * width,
      y: Math.floor(index / columns) * height,
      width: own?.width ?? width,
      height: own?.height ?? height,
      dictionary: dictionaryOf(samples, photometric),
      data: jpeg,
    };
  });
}

/** The original form of JPEG in TIFF, if it is a JPEG file within the file. */
function interchanged(data: Buffer, directory: TiffDirectory): PdfImage[] | null {
  const from = directory.number(TAG.interchange);
  if (from === null) return null;
  const jpeg = data.subarray(from, from + (directory.number(TAG.interchangeBytes) || data.length));
  const head = pictureHead(jpeg);
  if (head === null) return null;
  const dictionary = dictionaryOf(directory.number(TAG.samples) ?? 1, directory.number(TAG.photometric));
  return [{ x: 0, y: 0, width: head.width, height: head.height, dictionary, data: jpeg }];
}

const COLOURS: Readonly<Record<number, string>> = { 3: 'RGB', 4: 'CMYK' };

const dictionaryOf = (samples: number, photometric: number | null) =>
  `/Filter/DCTDecode/BitsPerComponent 8/ColorSpace/Device${COLOURS[samples] ?? 'Gray'}${
    samples === 1 && photometric === WHITE_IS_ZERO ? '/Decode[1 0]' : ''
  }`;

/** The start of a JPEG with Adobe's marker for the colour space, which TIFF stores in a tag instead. */
const startOf = (samples: number, photometric: number | null) => {
  const start = [0xff, 0xd8];
  if (samples === 1) return Buffer.from(start);
  const transform = photometric === YCBCR ? 1 : 0;
  return Buffer.from([...start, 0xff, 0xee, 0, 14, ...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform]);
};
