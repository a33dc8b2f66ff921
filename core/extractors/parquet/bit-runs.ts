import { Damaged } from '../damage.ts';

const MAX_WIDTH = 32;
const MAX_VARINT = 5;
const GROUP = 8;

/**
 * The next `count` numbers of `width` bits from runs of one number and groups of packed ones (parquet-format,
 * Encodings.md). A run that claims more is cut.
 */
export function bitRuns(bytes: Buffer, width: number, count: number): Uint32Array {
  if (width > MAX_WIDTH) throw new Damaged('bit_width');
  const numbers = new Uint32Array(count);
  let at = 0;
  let read = 0;
  while (read < count) {
    const header = varint(bytes, at);
    at = header.end;
    const length = header.value >>> 1;
    if ((header.value & 1) === 1) {
      const most = Math.min(count - read, length * GROUP);
      for (let i = 0; i < most; i++) numbers[read + i] = packedAt(bytes, at * 8 + i * width, width);
      read += most;
      at += length * width;
    } else {
      const size = Math.ceil(width / 8);
      numbers.fill(size === 0 ? 0 : bytes.readUIntLE(at, size), read, read + length);
      read += length;
      at += size;
    }
  }
  return numbers;
}

function varint(bytes: Buffer, start: number): { value: number; end: number } {
  let value = 0;
  for (let i = 0; i < MAX_VARINT; i++) {
    const byte = bytes.readUInt8(start + i);
    value = (value | ((byte & 0x7f) << (7 * i))) >>> 0;
    if (byte < 0x80) return { value, end: start + i + 1 };
  }
  throw new Damaged('long_varint');
}

/** The number of `width` bits at a bit offset. Its lowest bit comes first. */
function packedAt(bytes: Buffer, offset: number, width: number): number {
  let value = 0;
  for (let i = 0; i < width; i++) {
    const byte = bytes[(offset + i) >> 3];
    if (byte === undefined) throw new Damaged('packed_breaks_off');
    value |= ((byte >> ((offset + i) & 7)) & 1) << i;
  }
  return value >>> 0;
}
