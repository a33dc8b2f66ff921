/** What the head of a picture says, before anything is decoded. */
export type PictureHead = { width: number; height: number /** As in EXIF, 1 to 8. */; orientation: number };

const UPRIGHT = 1;

/** PNG, GIF, BMP, JPEG, WebP, TIFF (its first page); null for everything else, and for what breaks off before it tells. */
export function pictureHead(bytes: Uint8Array): PictureHead | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reader = READERS.find(({ magic }) => magic.some((one) => one.equals(data.subarray(0, one.length))));
  if (reader === undefined) return null;
  try {
    return reader.read(data);
  } catch {
    // An offset past the end.
    return null;
  }
}

const latin1 = (...texts: string[]) => texts.map((text) => Buffer.from(text, 'latin1'));

const TIFF = latin1('II*\0', 'MM\0*');

const READERS: readonly { magic: Buffer[]; read(data: Buffer): PictureHead | null }[] = [
  {
    magic: latin1('\x89PNG\r\n\x1a\n'),
    read: (data) => head(data.readUInt32BE(16), data.readUInt32BE(20)),
  },
  { magic: latin1('GIF87a', 'GIF89a'), read: gifHead },
  { magic: latin1('BM'), read: bmpHead },
  { magic: latin1('\xff\xd8\xff'), read: jpegHead },
  { magic: latin1('RIFF'), read: webpHead },
  { magic: TIFF, read: tiffHead },
];

const head = (width: number, height: number, orientation = UPRIGHT): PictureHead | null =>
  width > 0 && height > 0 ? { width, height, orientation } : null;

/** Half a word of text would be more. */
const MOST_GIF_SIDE = 0x1fff;

function gifHead(data: Buffer): PictureHead | null {
  const [width, height] = [data.readUInt16LE(6), data.readUInt16LE(8)];
  return width <= MOST_GIF_SIDE && height <= MOST_GIF_SIDE ? head(width, height) : null;
}

/** Lengths of the header that tells the size, in the versions of the format that have sides of 32 bits. */
const BMP_HEADERS: ReadonlySet<number> = new Set([40, 52, 56, 64, 108, 124]);

/** Two letters may well begin a text, so that the header is looked at too. */
function bmpHead(data: Buffer): PictureHead | null {
  if (data.readUInt32LE(6) !== 0 || !BMP_HEADERS.has(data.readUInt32LE(14))) return null;
  // Rows from the top down have a negative height.
  return head(data.readInt32LE(18), Math.abs(data.readInt32LE(22)));
}

/** RFC 9649: a head for pictures with more than the picture, or the first bits of it in one of two codings. */
function webpHead(data: Buffer): PictureHead | null {
  switch (data.toString('latin1', 8, 16)) {
    case 'WEBPVP8X':
      return head(1 + data.readUIntLE(24, 3), 1 + data.readUIntLE(27, 3));
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

const MARKER = 0xff;
const EXIF_SEGMENT = 0xe1;
const EXIF = Buffer.from('Exif\0\0');
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
/** Start of frame in its kinds, among which other markers lie. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** ISO/IEC 10918-1, annex B: segments of a marker and a length, up to the frame that tells the size. */
function jpegHead(data: Buffer): PictureHead | null {
  let orientation = UPRIGHT;
  for (let at = 2; data.readUInt8(at) === MARKER; ) {
    const marker = data.readUInt8(at + 1);
    // Any number of bytes may fill the room before a marker.
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
    return firstDirectory(exif).get(ORIENTATION) ?? UPRIGHT;
  } catch {
    return UPRIGHT;
  }
}

const WIDTH = 256;
const HEIGHT = 257;
const ORIENTATION = 274;
const ENTRY_BYTES = 12;
const SHORT = 3;

function tiffHead(data: Buffer): PictureHead | null {
  const entries = firstDirectory(data);
  return head(entries.get(WIDTH) ?? 0, entries.get(HEIGHT) ?? 0, entries.get(ORIENTATION));
}

/** TIFF 6.0, section 2: the tags of the first directory, with their first value where that is a short or long number. */
function firstDirectory(data: Buffer): Map<number, number> {
  const { short, long } = numbersOf(data);
  const directory = long(FIRST_DIRECTORY);
  const entries = new Map<number, number>();
  for (let index = 0; index < short(directory); index++) {
    const at = directory + 2 + index * ENTRY_BYTES;
    entries.set(short(at), short(at + 2) === SHORT ? short(at + 8) : long(at + 8));
  }
  return entries;
}

/** The order of bytes is the file's choice. */
function numbersOf(data: Buffer) {
  const isLittle = data.readUInt8(0) === 'I'.charCodeAt(0);
  return {
    short: (at: number) => (isLittle ? data.readUInt16LE(at) : data.readUInt16BE(at)),
    long: (at: number) => (isLittle ? data.readUInt32LE(at) : data.readUInt32BE(at)),
  };
}

/** Where a TIFF file says where its first directory is. */
const FIRST_DIRECTORY = 4;

/**
 * A picture of several pages, as a fax is, as a file for each of them: the next one overwrites the one before.
 * Other pictures are one page.
 */
export function* picturePages(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  const data = Buffer.from(bytes);
  if (!TIFF.some((magic) => magic.equals(data.subarray(0, magic.length)))) return;
  const { short, long } = numbersOf(data);
  const seen = new Set<number>();
  const nextOf = (directory: number) => directory + 2 + short(directory) * ENTRY_BYTES;
  const isWithin = (at: number) => at > 0 && at + 4 <= data.length;
  for (let directory = long(FIRST_DIRECTORY); isWithin(directory) && isWithin(nextOf(directory)); ) {
    seen.add(directory);
    const next = nextOf(directory);
    directory = long(next);
    if (directory === 0 || seen.has(directory)) return;
    data.copy(data, FIRST_DIRECTORY, next, next + 4);
    yield data;
  }
}
