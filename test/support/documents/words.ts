/** Little-endian numbers of two, four and eight bytes. */
export const short = (value: number): Buffer => Buffer.from([value & 0xff, (value >> 8) & 0xff]);

export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value | 0);
  return bytes;
}

export function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}
