import { cut, type Picture, type TiffPage, tiffFile } from './picture.ts';

const BLOCK = 8;
/** Categories of differences, with codes of four bits. */
const CATEGORIES = 9;

const marker = (code: number, content: readonly number[]) => [0xff, code, 0, content.length + 2, ...content];
const counts = (length: number, count: number) =>
  Array.from({ length: 16 }, (_, index) => (index === length - 1 ? count : 0));

/**
 * A quantization step of an eighth, so that the first coefficient of a block is its shade, and codes for that
 * coefficient and the end of a block.
 */
const TABLES = [
  ...marker(0xdb, [0, ...new Array<number>(64).fill(8)]),
  ...marker(0xc4, [
    0x00,
    ...counts(4, CATEGORIES),
    ...Array.from({ length: CATEGORIES }, (_, category) => category),
  ]),
  ...marker(0xc4, [0x10, ...counts(1, 1), 0]),
];
const START = [0xff, 0xd8];
const END = [0xff, 0xd9];

/** The samples of a pixel with a shade. */
export type Samples = (shade: number) => readonly number[];
export const GREY: Samples = (shade) => [shade];
export const YCBCR: Samples = (shade) => [shade, 128, 128];
export const RGB: Samples = (shade) => [shade, shade, shade];
export const CMYK: Samples = (shade) => [0, 0, 0, 255 - shade];

/** ISO/IEC 10918-1: a frame in which each block has one shade, as in pictures with dots of eight pixels. */
function frameOf({ width, height, grey }: Picture, samples: Samples): number[] {
  const numbers = samples(0).map((_, index) => index + 1);
  let bits = '';
  const before = numbers.map(() => 0);
  for (let y = 0; y < height; y += BLOCK) {
    for (let x = 0; x < width; x += BLOCK) {
      for (const [index, sample] of samples(grey[y * width + x] ?? 0).entries()) {
        const shade = sample - 128;
        const difference = shade - (before[index] ?? 0);
        before[index] = shade;
        const category = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
        const coded = difference < 0 ? difference + 2 ** category - 1 : difference;
        bits += category.toString(2).padStart(4, '0');
        if (category > 0) bits += coded.toString(2).padStart(category, '0');
        bits += '0';
      }
    }
  }
  const bytes = (bits.padEnd(Math.ceil(bits.length / 8) * 8, '1').match(/[01]{8}/g) ?? []).flatMap((byte) =>
    byte === '11111111' ? [0xff, 0] : [Number.parseInt(byte, 2)],
  );
  const sides = [height >> 8, height & 255, width >> 8, width & 255];
  return [
    ...marker(0xc0, [8, ...sides, numbers.length, ...numbers.flatMap((number) => [number, 0x11, 0])]),
    ...marker(0xda, [numbers.length, ...numbers.flatMap((number) => [number, 0]), 0, 63, 0]),
    ...bytes,
  ];
}

/** A JPEG. */
export const jpegOf = (picture: Picture, samples: Samples): Uint8Array =>
  Uint8Array.from([...START, ...TABLES, ...frameOf(picture, samples), ...END]);

export type JpegTiff = { samples: Samples; photometric: number; orientation?: number };

const common = ({ width, height }: Picture, { samples, photometric, orientation = 1 }: JpegTiff) => ({
  256: width,
  257: height,
  259: 7,
  262: photometric,
  274: orientation,
  277: samples(0).length,
  347: Uint8Array.from([...START, ...TABLES, ...END]),
});

const partOf = (picture: Picture, samples: Samples) =>
  Uint8Array.from([...START, ...frameOf(picture, samples), ...END]);

/** A TIFF of JPEG strips with shared tables. */
export function stripsOf(picture: Picture, rows: number, how: JpegTiff): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let y = 0; y < picture.height; y += rows) {
    const part = { width: picture.width, height: Math.min(rows, picture.height - y) };
    parts.push(partOf(cut(picture, 0, y, part), how.samples));
  }
  return tiffFile([{ tags: { ...common(picture, how), 278: rows }, offsets: 273, lengths: 279, parts }]);
}

/** A TIFF of JPEG tiles with shared tables. Tiles at the edges extend beyond the picture. */
export function tilesOf(picture: Picture, side: number, how: JpegTiff): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let y = 0; y < picture.height; y += side) {
    for (let x = 0; x < picture.width; x += side) {
      parts.push(partOf(cut(picture, x, y, { width: side, height: side }), how.samples));
    }
  }
  const page: TiffPage = {
    tags: { ...common(picture, how), 322: side, 323: side },
    offsets: 324,
    lengths: 325,
    parts,
  };
  return tiffFile([page]);
}

/** A TIFF of the older form, which contains a whole JPEG. */
export function interchangedOf(picture: Picture): Uint8Array {
  const jpeg = jpegOf(picture, GREY);
  const tags = { 256: picture.width, 257: picture.height, 259: 6, 262: 1, 277: 1 };
  return tiffFile([{ tags, offsets: 513, lengths: 514, parts: [jpeg] }]);
}
