import type { Picture } from './picture.ts';

/**
 * ITU-T T.88, table E.1: probability, and the next state after the more and the less probable bit. States 0, 6 and 14
 * switch.
 */
const STATES: readonly (readonly [number, number, number])[] = [
  [0x5601, 1, 1],
  [0x3401, 2, 6],
  [0x1801, 3, 9],
  [0x0ac1, 4, 12],
  [0x0521, 5, 29],
  [0x0221, 38, 33],
  [0x5601, 7, 6],
  [0x5401, 8, 14],
  [0x4801, 9, 14],
  [0x3801, 10, 14],
  [0x3001, 11, 17],
  [0x2401, 12, 18],
  [0x1c01, 13, 20],
  [0x1601, 29, 21],
  [0x5601, 15, 14],
  [0x5401, 16, 14],
  [0x5101, 17, 15],
  [0x4801, 18, 16],
  [0x3801, 19, 17],
  [0x3401, 20, 18],
  [0x3001, 21, 19],
  [0x2801, 22, 19],
  [0x2401, 23, 20],
  [0x2201, 24, 21],
  [0x1c01, 25, 22],
  [0x1801, 26, 23],
  [0x1601, 27, 24],
  [0x1401, 28, 25],
  [0x1201, 29, 26],
  [0x1101, 30, 27],
  [0x0ac1, 31, 28],
  [0x09c1, 32, 29],
  [0x08a1, 33, 30],
  [0x0521, 34, 31],
  [0x0441, 35, 32],
  [0x02a1, 36, 33],
  [0x0221, 37, 34],
  [0x0141, 38, 35],
  [0x0111, 39, 36],
  [0x0085, 40, 37],
  [0x0049, 41, 38],
  [0x0025, 42, 39],
  [0x0015, 43, 40],
  [0x0009, 44, 41],
  [0x0005, 45, 42],
  [0x0001, 45, 43],
  [0x5601, 46, 46],
];
const SWITCHES: ReadonlySet<number> = new Set([0, 6, 14]);

/** The arithmetic encoder of annex E, as described in ISO/IEC 15444-1, annex C. */
function arithmeticEncoder() {
  const bytes = [0];
  const contexts = new Map<number, { state: number; likely: number }>();
  let [interval, code, room] = [0x8000, 0, 12];
  const byteOut = () => {
    const last = bytes.length - 1;
    const isStuffed = bytes[last] === 0xff;
    if (!isStuffed && code >= 0x8000000) {
      bytes[last] = (bytes[last] ?? 0) + 1;
      code &= 0x7ffffff;
    }
    const bits = bytes[last] === 0xff ? 7 : 8;
    bytes.push((code >>> (bits === 7 ? 20 : 19)) & 0xff);
    code &= bits === 7 ? 0xfffff : 0x7ffff;
    room = bits;
  };
  const shift = () => {
    interval = (interval << 1) & 0xffff;
    code = (code << 1) >>> 0;
    if (--room === 0) byteOut();
  };
  return {
    encode(context: number, bit: number) {
      const at = contexts.get(context) ?? { state: 0, likely: 0 };
      contexts.set(context, at);
      const [probability, likelier, unlikelier] = STATES[at.state] ?? [0, 0, 0];
      interval -= probability;
      const isLikely = bit === at.likely;
      if (isLikely && interval >= 0x8000) {
        code += probability;
        return;
      }
      // The smaller part always belongs to the less probable bit.
      if (isLikely === interval < probability) interval = probability;
      else code += probability;
      if (!isLikely && SWITCHES.has(at.state)) at.likely = 1 - at.likely;
      at.state = isLikely ? likelier : unlikelier;
      do shift();
      while (interval < 0x8000);
    },
    finish(): Uint8Array {
      const most = code + interval;
      code = (code | 0xffff) >>> 0;
      if (code >= most) code -= 0x8000;
      for (let turn = 0; turn < 2; turn++) {
        code = (code * 2 ** room) >>> 0;
        byteOut();
      }
      return Uint8Array.from([...bytes.slice(1), 0xff, 0xac]);
    },
  };
}

const PAGE_INFORMATION = 48;
const GENERIC_REGION = 38;

/** Encodes a JBIG2 stream for PDF: a page with one generic region, template 0. Light pixels are not black. */
export function jbig2Of({ width, height, grey }: Picture): Uint8Array {
  const black = (x: number, y: number) =>
    x >= 0 && x < width && y >= 0 && (grey[y * width + x] ?? 255) < 128 ? 1 : 0;
  const encoder = arithmeticEncoder();
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let context = 0;
      for (const [dx, dy] of NEIGHBOURS) context = (context << 1) | black(x + dx, y + dy);
      encoder.encode(context, black(x, y));
    }
  }
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  const place = Buffer.alloc(9);
  const [template, moved] = [Buffer.of(0), Buffer.of(3, 0xff, 0xfd, 0xff, 2, 0xfe, 0xfe, 0xfe)];
  return new Uint8Array(
    Buffer.concat([
      segment(0, PAGE_INFORMATION, Buffer.concat([size, Buffer.alloc(11)])),
      segment(1, GENERIC_REGION, Buffer.concat([size, place, template, moved, encoder.finish()])),
    ]),
  );
}

/** Figure 3, with its four adaptive pixels in their default positions. */
const NEIGHBOURS: readonly (readonly [number, number])[] = [
  [-2, -2],
  [-1, -2],
  [0, -2],
  [1, -2],
  [2, -2],
  [-3, -1],
  [-2, -1],
  [-1, -1],
  [0, -1],
  [1, -1],
  [2, -1],
  [3, -1],
  [-4, 0],
  [-3, 0],
  [-2, 0],
  [-1, 0],
];

function segment(number: number, type: number, data: Uint8Array): Buffer {
  const head = Buffer.alloc(11);
  head.writeUInt32BE(number);
  head[4] = type;
  head[6] = 1;
  head.writeUInt32BE(data.length, 7);
  return Buffer.concat([head, data]);
}
