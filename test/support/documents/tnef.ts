/** Builds what Outlook packs into `winmail.dat` ([MS-OXTNEF]). */

type Property = {
  id: number;
  name?: string;
  text?: string;
  ansi?: string;
  bytes?: Buffer;
  object?: Buffer;
  number?: number;
};

const uint32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, index * 4);
  return bytes;
};
const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
const value = (bytes: Buffer) => Buffer.concat([uint32(1, bytes.length), padded(bytes)]);

function propertyOf({ id, name, text, ansi, bytes, object, number = 0 }: Property): Buffer {
  const head = (type: number) => {
    const named = Buffer.from(`${name ?? ''}\0`, 'utf16le');
    return Buffer.concat([
      uint32(((id << 16) | type) >>> 0),
      ...(name === undefined ? [] : [Buffer.alloc(16, 1), uint32(1, named.length), padded(named)]),
    ]);
  };
  if (text !== undefined) return Buffer.concat([head(0x1f), value(Buffer.from(`${text}\0`, 'utf16le'))]);
  if (ansi !== undefined) return Buffer.concat([head(0x1e), value(Buffer.from(`${ansi}\0`, 'latin1'))]);
  if (bytes !== undefined) return Buffer.concat([head(0x102), value(bytes)]);
  if (object !== undefined)
    return Buffer.concat([head(0x0d), value(Buffer.concat([Buffer.alloc(16, 7), object]))]);
  return Buffer.concat([head(0x03), uint32(number)]);
}

export const properties = (...list: Property[]): Buffer =>
  Buffer.concat([uint32(list.length), ...list.map(propertyOf)]);

/** An attribute of the message or of an attachment. */
export function attribute(id: number, data: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt8(id >= 0x9000 && id !== 0x9002 && id !== 0x9005 ? 1 : 2, 0);
  head.writeUInt32LE(id, 1);
  head.writeUInt32LE(data.length, 5);
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE(data.reduce((all, byte) => (all + byte) & 0xffff, 0));
  return Buffer.concat([head, data, sum]);
}

export const tnefOf = (...attributes: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([0x78, 0x9f, 0x3e, 0x22, 1, 0]), ...attributes]);

/** An attachment with its short name and its bytes. */
export const attachment = (name: string, bytes: string | Buffer, ...own: Property[]): Buffer[] => [
  attribute(0x9002, Buffer.alloc(14)),
  attribute(0x8010, Buffer.from(`${name}\0`, 'latin1')),
  attribute(0x800f, Buffer.from(bytes)),
  ...(own.length === 0 ? [] : [attribute(0x9005, properties(...own))]),
];
