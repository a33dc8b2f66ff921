import { isDamage } from '../damage.ts';
import { TIFF_MAGIC, tiffDirectory } from './tiff-directory.ts';

/** The size and orientation in the header of a picture, read without decoding it. */
export type PictureHead = { width: number; height: number /** As in EXIF, 1 to 8. */; orientation: number };

const UPRIGHT = 1;

/**
 * Icons, tracking pixels and most logos have fewer pixels than this. Inside other files they are not counted as unread
 * text.
 */
export const MIN_PICTURE_PIXELS = 20_000;

/**
 * Reads PNG, GIF, BMP, JPEG, JPEG 2000, WebP, and the first page of TIFF. Returns null for other formats and
 * truncated headers.
 */
export function pictureHead(bytes: Uint8Array): PictureHead | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reader = READERS.find(({ magic }) => magic.some((one) => one.equals(data.subarray(0, one.length))));
  if (reader === undefined) return null;
  try {
    return reader.read(data);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return null;
  }
}

const latin1 = (...texts: string[]) => texts.map((text) => Buffer.from(text, 'latin1'));

/** ISO/IEC 15444-1, annex A: the signatures of JPEG 2000, with and without boxes. */
const CODESTREAM = Buffer.from('ff4fff51', 'hex');
const JPEG2000_MAGIC = [...latin1('\0\0\0\x0cjP  \r\n\x87\n'), CODESTREAM];

export const isJpeg2000 = (data: Buffer): boolean =>
  JPEG2000_MAGIC.some((magic) => magic.equals(data.subarray(0, magic.length)));

const READERS: readonly { magic: readonly Buffer[]; read(data: Buffer): PictureHead | null }[] = [
  { magic: latin1('\x89PNG\r\n\x1a\n'), read: pngHead },
  { magic: latin1('GIF87a', 'GIF89a'), read: gifHead },
  { magic: latin1('BM'), read: bmpHead },
  { magic: latin1('\xff\xd8\xff'), read: jpegHead },
  { magic: latin1('RIFF'), read: webpHead },
  { magic: TIFF_MAGIC, read: tiffHead },
  { magic: JPEG2000_MAGIC, read: jpeg2000Head },
];

const head = (width: number, height: number, orientation = UPRIGHT): PictureHead | null =>
  width > 0 && height > 0
    ? { width, height, orientation: orientation >= 1 && orientation <= 8 ? orientation : UPRIGHT }
    : null;

/** PNG specification (W3C), sections 5.3 and 11.3: chunks of length, name, content and checksum. */
function pngHead(data: Buffer): PictureHead | null {
  const [width, height] = [data.readUInt32BE(16), data.readUInt32BE(20)];
  for (let at = 8; at + 8 <= data.length; at += 12 + data.readUInt32BE(at)) {
    if (data.toString('latin1', at + 4, at + 8) === 'eXIf') {
      return head(width, height, exifOrientation(data.subarray(at + 8, at + 8 + data.readUInt32BE(at))));
    }
  }
  return head(width, height);
}

/** A larger value is probably text. */
const MAX_GIF_SIDE = 0x1fff;

function gifHead(data: Buffer): PictureHead | null {
  const [width, height] = [data.readUInt16LE(6), data.readUInt16LE(8)];
  return width <= MAX_GIF_SIDE && height <= MAX_GIF_SIDE ? head(width, height) : null;
}

/** Header lengths of the versions whose width and height have 32 bits. */
const BMP_HEADERS: ReadonlySet<number> = new Set([40, 52, 56, 64, 108, 124]);

/** Two letters can also begin a text, so the header is checked too. */
function bmpHead(data: Buffer): PictureHead | null {
  if (data.readUInt32LE(6) !== 0 || !BMP_HEADERS.has(data.readUInt32LE(14))) return null;
  // A negative height means that the rows are stored from the top down.
  return head(data.readInt32LE(18), Math.abs(data.readInt32LE(22)));
}

/** RFC 9649: an extended header, or the first bits of one of two codings. */
function webpHead(data: Buffer): PictureHead | null {
  switch (data.toString('latin1', 8, 16)) {
    case 'WEBPVP8X':
      return head(1 + data.readUIntLE(24, 3), 1 + data.readUIntLE(27, 3), webpOrientation(data));
    case 'WEBPVP8L': {
      const sides = data.readUInt32LE(21);
      return head(1 + (sides & 0x3fff), 1 + ((sides >>> 14) & 0x3fff));
    }
    case 'WEBPVP8 ':
      return head(data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff);
    default:
      return null;
  }
}

/** Chunks of name, length and content, padded to an even number of bytes. */
function webpOrientation(data: Buffer): number {
  for (
    let at = 12;
    at + 8 <= data.length;
    at += 8 + data.readUInt32LE(at + 4) + (data.readUInt32LE(at + 4) % 2)
  ) {
    if (data.toString('latin1', at, at + 4) === 'EXIF') return exifOrientation(data.subarray(at + 8));
  }
  return UPRIGHT;
}

const MARKER = 0xff;
const EXIF_SEGMENT = 0xe1;
const EXIF = Buffer.from('Exif\0\0');
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
/** Start-of-frame markers. A few other markers lie in the same range. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** ISO/IEC 10918-1, annex B: segments of marker and length, up to the frame that contains the size. */
function jpegHead(data: Buffer): PictureHead | null {
  let orientation = UPRIGHT;
  for (let at = 2; data.readUInt8(at) === MARKER; ) {
    const marker = data.readUInt8(at + 1);
    // Any number of fill bytes may precede a marker.
    if (marker === MARKER) {
      at++;
      continue;
    }
    if (marker === START_OF_SCAN || marker === END_OF_IMAGE) return null;
    if (isFrame(marker)) return head(data.readUInt16BE(at + 7), data.readUInt16BE(at + 5), orientation);
    const end = at + 2 + data.readUInt16BE(at + 2);
    const segment = data.subarray(at + 4, end);
    if (marker === EXIF_SEGMENT && segment.subarray(0, EXIF.length).equals(EXIF)) {
      orientation = exifOrientation(segment.subarray(EXIF.length));
    }
    at = end;
  }
  return null;
}

function exifOrientation(exif: Buffer): number {
  try {
    return tiffDirectory(exif).number(ORIENTATION) ?? UPRIGHT;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return UPRIGHT;
  }
}

const WIDTH = 256;
const HEIGHT = 257;
const ORIENTATION = 274;

function tiffHead(data: Buffer): PictureHead | null {
  const directory = tiffDirectory(data);
  const [width, height] = [directory.number(WIDTH) ?? 0, directory.number(HEIGHT) ?? 0];
  return head(width, height, directory.number(ORIENTATION) ?? UPRIGHT);
}

/** The size in the codestream, whatever the boxes around it say. */
function jpeg2000Head(data: Buffer): PictureHead | null {
  const at = data.indexOf(CODESTREAM);
  if (at < 0) return null;
  const [width, height, left, top] = [8, 12, 16, 20].map((field) => data.readUInt32BE(at + field));
  return head((width ?? 0) - (left ?? 0), (height ?? 0) - (top ?? 0));
}
