import { crc32, deflateSync } from 'node:zlib';

/** Seven rows of five dots for each letter, from the top. Only the letters that tests need. */
const LETTERS: Readonly<Record<string, readonly string[]>> = {
  A: ['.###.', '#...#', '#...#', '#####', '#...#', '#...#', '#...#'],
  C: ['.####', '#....', '#....', '#....', '#....', '#....', '.####'],
  E: ['#####', '#....', '#....', '####.', '#....', '#....', '#####'],
  H: ['#...#', '#...#', '#...#', '#####', '#...#', '#...#', '#...#'],
  L: ['#....', '#....', '#....', '#....', '#....', '#....', '#####'],
  O: ['.###.', '#...#', '#...#', '#...#', '#...#', '#...#', '.###.'],
  T: ['#####', '..#..', '..#..', '..#..', '..#..', '..#..', '..#..'],
  ' ': ['.....', '.....', '.....', '.....', '.....', '.....', '.....'],
};

/** Grey values, one byte per pixel, rows from the top. */
export type Picture = { width: number; height: number; grey: Uint8Array };

/**
 * A line of black letters on white.
 * @param dot side of a dot in pixels
 */
export function drawn(text: string, dot = 6): Picture {
  const margin = 7 * dot;
  const width = text.length * 6 * dot + 2 * margin;
  const height = 7 * dot + 2 * margin;
  const grey = new Uint8Array(width * height).fill(255);
  for (let y = 0; y < 7 * dot; y++) {
    for (let x = 0; x < text.length * 6 * dot; x++) {
      const column = Math.floor(x / dot);
      const row = LETTERS[text[Math.floor(column / 6)] ?? ' ']?.[Math.floor(y / dot)];
      if (row?.[column % 6] === '#') grey[(y + margin) * width + x + margin] = 0;
    }
  }
  return { width, height, grey };
}

/** Maps a pixel of a picture with an EXIF orientation to its position in the upright picture. */
const UPRIGHT_AT: Readonly<
  Record<number, (x: number, y: number, right: number, bottom: number) => [number, number]>
> = {
  1: (x, y) => [x, y],
  2: (x, y, right) => [right - x, y],
  3: (x, y, right, bottom) => [right - x, bottom - y],
  4: (x, y, _, bottom) => [x, bottom - y],
  5: (x, y) => [y, x],
  6: (x, y, right) => [right - y, x],
  7: (x, y, right, bottom) => [right - y, bottom - x],
  8: (x, y, _, bottom) => [y, bottom - x],
};

/** Stores an upright picture with an EXIF orientation, as a camera or scanner does. */
export function laid({ width, height, grey }: Picture, orientation: number): Picture {
  const isOnSide = orientation >= 5;
  const to = isOnSide ? { width: height, height: width } : { width, height };
  const uprightAt = UPRIGHT_AT[orientation] ?? ((x, y) => [x, y]);
  const turned = grey.map((_, at) => {
    const [x, y] = uprightAt(at % to.width, Math.floor(at / to.width), width - 1, height - 1);
    return grey[y * width + x] ?? 0;
  });
  return { ...to, grey: turned };
}

/** A part of the picture. Everything outside is white. */
export function cut(
  { width, height, grey }: Picture,
  left: number,
  top: number,
  part: { width: number; height: number },
): Picture {
  const cut = new Uint8Array(part.width * part.height).fill(255);
  for (let at = 0; at < cut.length; at++) {
    const [x, y] = [left + (at % part.width), top + Math.floor(at / part.width)];
    if (x < width && y < height) cut[at] = grey[y * width + x] ?? 0;
  }
  return { ...part, grey: cut };
}

/** A Windows bitmap with 24 bits per pixel, rows from the bottom. */
export function bmpOf({ width, height, grey }: Picture): Uint8Array {
  const rowBytes = Math.ceil((width * 3) / 4) * 4;
  const file = Buffer.alloc(54 + rowBytes * height);
  file.write('BM', 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      file.fill(
        grey[(height - 1 - y) * width + x] ?? 0,
        54 + y * rowBytes + x * 3,
        57 + y * rowBytes + x * 3,
      );
    }
  }
  return new Uint8Array(file);
}

/** ITU-T T.4, tables 2 and 3, for runs that are multiples of a dot, with the make-up codes below 640. */
const WHITE: Readonly<Record<number, string>> = {
  0: '00110101',
  2: '0111',
  4: '1011',
  6: '1110',
  8: '10011',
  10: '00111',
  12: '001000',
  14: '110100',
  16: '101010',
  18: '0100111',
  20: '0001000',
  22: '0000011',
  24: '0101000',
  26: '0010011',
  28: '0011000',
  30: '00000011',
  32: '00011011',
  34: '00010011',
  36: '00010101',
  38: '00010111',
  40: '00101001',
  42: '00101011',
  44: '00101101',
  46: '00000101',
  48: '00001011',
  50: '01010011',
  52: '01010101',
  54: '00100101',
  56: '01011001',
  58: '01011011',
  60: '01001011',
  62: '00110011',
  64: '11011',
  128: '10010',
  192: '010111',
  256: '0110111',
  320: '00110110',
  384: '00110111',
  448: '01100100',
  512: '01100101',
  576: '01101000',
};
const BLACK: Readonly<Record<number, string>> = {
  0: '0000110111',
  6: '0010',
  12: '0000111',
  18: '0000001000',
  24: '00000010111',
  30: '000001101000',
};
const HORIZONTAL = '001';

/** Encodes as Group 4 fax (ITU-T T.6) with the length of every run. */
export function faxOf({ width, height, grey }: Picture): Uint8Array {
  let bits = '';
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; ) {
      const white = runOf(grey, y * width + x, (y + 1) * width, 255);
      const black = runOf(grey, y * width + x + white, (y + 1) * width, 0);
      const makeup = white - (white % 64);
      bits += `${HORIZONTAL}${makeup > 0 ? WHITE[makeup] : ''}${WHITE[white % 64]}${BLACK[black]}`;
      x += white + black;
    }
  }
  const bytes = `${bits}${'0'.repeat(8)}`.match(/[01]{8}/g) ?? [];
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2));
}

function runOf(grey: Uint8Array, from: number, end: number, value: number): number {
  let at = from;
  while (at < end && grey[at] === value) at++;
  return at - from;
}

/** A PNG with eight bits per pixel. */
export function pngOf({ width, height, grey }: Picture, exif = new Uint8Array()): Uint8Array {
  const chunk = (type: string, content: Uint8Array) => {
    const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    rows.set(grey.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  }
  return new Uint8Array(
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', head),
      ...(exif.length === 0 ? [] : [chunk('eXIf', exif)]),
      chunk('IDAT', deflateSync(rows)),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
}

/** An uncompressed TIFF with a page for each picture. */
export const tiffOf = (pages: readonly Picture[], orientation = 1): Uint8Array =>
  tiffFile(
    pages.map(({ width, height, grey }) => ({
      tags: { 256: width, 257: height, 258: 8, 259: 1, 262: 1, 274: orientation, 278: height },
      offsets: 273,
      lengths: 279,
      parts: [grey],
    })),
  );

export type TiffPage = {
  /** Numbers, or bytes that are stored outside the directory. */
  tags: Readonly<Record<number, number | Uint8Array>>;
  /** The tag with the offsets of the parts. */
  offsets: number;
  lengths: number;
  parts: readonly Uint8Array[];
};

const UNDEFINED = 7;
const LONG = 4;

/** A TIFF with these pages. */
export function tiffFile(pages: readonly TiffPage[]): Uint8Array {
  const chunks = [Buffer.from('II*\0\x08\0\0\0', 'latin1')];
  let at = 8;
  for (const [index, { tags, offsets, lengths, parts }] of pages.entries()) {
    const count = Object.keys(tags).length + 2;
    const directory = Buffer.alloc(2 + count * 12 + 4);
    const outside: Uint8Array[] = [];
    let free = at + directory.length;
    const put = (bytes: Uint8Array) => {
      outside.push(bytes);
      free += bytes.length;
      return free - bytes.length;
    };
    const longs = (values: readonly number[]) => {
      if (values.length === 1) return values[0] ?? 0;
      const bytes = Buffer.alloc(values.length * 4);
      for (const [place, value] of values.entries()) bytes.writeUInt32LE(value, place * 4);
      return put(bytes);
    };
    const starts = parts.map(put);
    const entries: [tag: number, type: number, count: number, value: number][] = [
      [offsets, LONG, parts.length, longs(starts)],
      [lengths, LONG, parts.length, longs(parts.map((part) => part.length))],
    ];
    for (const [tag, value] of Object.entries(tags)) {
      if (typeof value === 'number') entries.push([Number(tag), LONG, 1, value]);
      else entries.push([Number(tag), UNDEFINED, value.length, put(value)]);
    }
    entries.sort(([one], [other]) => one - other);
    directory.writeUInt16LE(count);
    for (const [place, [tag, type, length, value]] of entries.entries()) {
      directory.writeUInt16LE(tag, 2 + place * 12);
      directory.writeUInt16LE(type, 4 + place * 12);
      directory.writeUInt32LE(length, 6 + place * 12);
      directory.writeUInt32LE(value, 10 + place * 12);
    }
    directory.writeUInt32LE(index === pages.length - 1 ? 0 : free, directory.length - 4);
    chunks.push(directory, ...outside.map((bytes) => Buffer.from(bytes)));
    at = free;
  }
  return new Uint8Array(Buffer.concat(chunks));
}
