import { crc32, deflateSync } from 'node:zlib';

/** Seven rows of five dots for each letter, from the top; what a test needs of the alphabet. */
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
const DOT = 6;
const MARGIN = 42;

/** One line of black letters on white: a byte for each pixel, rows from the top. */
export function drawn(text: string): { width: number; height: number; grey: Uint8Array } {
  const width = text.length * 6 * DOT + 2 * MARGIN;
  const height = 7 * DOT + 2 * MARGIN;
  const grey = new Uint8Array(width * height).fill(255);
  for (let y = 0; y < 7 * DOT; y++) {
    for (let x = 0; x < text.length * 6 * DOT; x++) {
      const column = Math.floor(x / DOT);
      const row = LETTERS[text[Math.floor(column / 6)] ?? ' ']?.[Math.floor(y / DOT)];
      if (row?.[column % 6] === '#') grey[(y + MARGIN) * width + x + MARGIN] = 0;
    }
  }
  return { width, height, grey };
}

/** A Windows bitmap of 24 bits for each pixel, rows from the bottom. */
export function bmpOf({ width, height, grey }: ReturnType<typeof drawn>): Uint8Array {
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

/** ITU-T T.4, tables 2 and 3, for runs that are a multiple of a dot, with the makeup codes below 640. */
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

/** As a fax of group 4 (ITU-T T.6) that codes every run by its length. */
export function faxOf({ width, height, grey }: ReturnType<typeof drawn>): Uint8Array {
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

/** A PNG of eight bits for each pixel. */
export function pngOf({ width, height, grey }: ReturnType<typeof drawn>): Uint8Array {
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
      chunk('IDAT', deflateSync(rows)),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
}

/** A TIFF of one page for each picture, uncompressed. */
export function tiffOf(pages: readonly ReturnType<typeof drawn>[]): Uint8Array {
  const head = Buffer.from('II*\0\x08\0\0\0', 'latin1');
  let at = head.length;
  const parts = pages.map(({ width, height, grey }, index) => {
    const directory = Buffer.alloc(2 + 8 * 12 + 4);
    const pixels = at + directory.length;
    at = pixels + grey.length;
    const tags = {
      256: width,
      257: height,
      258: 8,
      259: 1,
      262: 1,
      273: pixels,
      278: height,
      279: grey.length,
    };
    directory.writeUInt16LE(8);
    for (const [entry, [tag, value]] of Object.entries(tags).entries()) {
      directory.writeUInt16LE(Number(tag), 2 + entry * 12);
      directory.writeUInt16LE(4, 4 + entry * 12);
      directory.writeUInt32LE(1, 6 + entry * 12);
      directory.writeUInt32LE(value, 10 + entry * 12);
    }
    directory.writeUInt32LE(index === pages.length - 1 ? 0 : at, directory.length - 4);
    return Buffer.concat([directory, grey]);
  });
  return new Uint8Array(Buffer.concat([head, ...parts]));
}
