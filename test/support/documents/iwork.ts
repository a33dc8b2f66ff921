import { strToU8, type Zippable, zipSync } from 'fflate';

/** Members as iWork writes them: uncompressed, because their content is compressed already. */
export function stored(members: Readonly<Record<string, string | Uint8Array>>): Uint8Array<ArrayBuffer> {
  const zippable: Zippable = {};
  for (const [name, content] of Object.entries(members)) {
    zippable[name] = [typeof content === 'string' ? strToU8(content) : content, { level: 0 }];
  }
  return new Uint8Array(zipSync(zippable));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

type Value = number | string | Uint8Array;

/** A message with these fields. Several values repeat the field. */
export function message(fields: Readonly<Record<number, Value | readonly Value[]>>): Buffer {
  const parts: Buffer[] = [];
  for (const [number, values] of Object.entries(fields)) {
    for (const value of Array.isArray(values) ? values : [values]) {
      const wireType = typeof value === 'number' ? 0 : 2;
      parts.push(varint(Number(number) * 8 + wireType));
      if (typeof value === 'number') parts.push(varint(value));
      else parts.push(varint(Buffer.byteLength(value)), Buffer.from(value));
    }
  }
  return Buffer.concat(parts);
}

/** A double field, which `message` cannot distinguish from an integer. */
export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
}

export const reference = (id: number): Buffer => message({ 1: id });

/** An object with its header. */
export const object = (id: number, type: number, content: Uint8Array): Buffer => {
  const header = message({ 1: id, 2: message({ 1: type, 2: Buffer.from([1, 0, 5]), 3: content.length }) });
  return Buffer.concat([varint(header.length), header, content]);
};

export const storage = (id: number, text: string, more: Parameters<typeof message>[0] = {}): Buffer =>
  object(id, 2001, message({ 3: text, ...more }));

const SHORTEST_COPY = 4;
const LONGEST_COPY = 64;
const LONGEST_LITERAL = 60;

/** Snappy's raw format, with a copy wherever four bytes repeat earlier ones. */
export function snapped(data: Uint8Array): Buffer {
  const bytes = Buffer.from(data);
  const parts: Buffer[] = [varint(bytes.length)];
  const known = new Map<number, number>();
  let literal = 0;
  const flush = (end: number) => {
    for (; literal < end; literal += LONGEST_LITERAL) {
      const size = Math.min(LONGEST_LITERAL, end - literal);
      parts.push(Buffer.from([(size - 1) << 2]), bytes.subarray(literal, literal + size));
    }
    literal = end;
  };
  for (let at = 0; at + SHORTEST_COPY <= bytes.length; ) {
    const key = bytes.readUInt32LE(at);
    const before = known.get(key);
    known.set(key, at);
    if (before === undefined || at - before > 0xffff) {
      at++;
      continue;
    }
    let size = SHORTEST_COPY;
    while (size < LONGEST_COPY && at + size < bytes.length && bytes[before + size] === bytes[at + size])
      size++;
    flush(at);
    parts.push(Buffer.from([((size - 1) << 2) | 2, (at - before) & 0xff, (at - before) >> 8]));
    at += size;
    literal = at;
  }
  flush(bytes.length);
  return Buffer.concat(parts);
}

const CHUNK_BYTES = 65_536;

/** An `.iwa` file of these objects. */
export function iwa(...objects: readonly Uint8Array[]): Buffer {
  const data = Buffer.concat(objects);
  const chunks: Buffer[] = [];
  for (let at = 0; at < data.length; at += CHUNK_BYTES) {
    const packed = snapped(data.subarray(at, at + CHUNK_BYTES));
    chunks.push(
      Buffer.from([0, packed.length & 0xff, (packed.length >> 8) & 0xff, packed.length >> 16]),
      packed,
    );
  }
  return Buffer.concat(chunks);
}

const METADATA = { 'Metadata/BuildVersionHistory.plist': '<plist/>' };

/** A document of 2013 or later with a single `.iwa` file. */
export const iworkDocument = (
  objects: readonly Uint8Array[],
  more: Readonly<Record<string, string | Uint8Array>> = {},
) => stored({ 'Index/Document.iwa': iwa(...objects), ...METADATA, ...more });

/** A document of iWork '09. Only this file matters. */
export const iworkXml = (
  name: 'index.xml' | 'index.apxl',
  body: string,
  more: Readonly<Record<string, string | Uint8Array>> = {},
) => stored({ 'buildVersionHistory.plist': '<plist/>', [name]: `<?xml version="1.0"?>\n${body}`, ...more });

/** A cell in the current format. `flags` name the values that follow. */
export function cell(type: number, flags: number, ...values: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt8(5, 0);
  head.writeUInt8(type, 1);
  head.writeUInt32LE(flags, 8);
  return Buffer.concat([head, ...values]);
}

/** A cell in the format until 2016. */
export function oldCell(type: number, flags: number, ...values: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt8(4, 0);
  head.writeUInt8(type, 1);
  head.writeUInt32LE(flags, 4);
  return Buffer.concat([head, ...values]);
}

/** A decimal of 128 bits. */
export function decimal(digits: bigint, exponent: number, negative = false): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(digits & 0xffff_ffff_ffff_ffffn, 0);
  bytes.writeBigUInt64LE(digits >> 64n, 8);
  const high = ((exponent + 0x1820) << 1) | Number(digits >> 112n) | (negative ? 0x8000 : 0);
  bytes.writeUInt16LE(high, 14);
  return bytes;
}

/** A row of a tile. Null means no cell. */
export function row(index: number, cells: readonly (Buffer | null)[], first: 3 | 6 = 6): Buffer {
  const offsets = Buffer.alloc(cells.length * 2 + 2, 0xff);
  let at = 0;
  cells.forEach((one, column) => {
    if (one === null) return;
    offsets.writeUInt16LE(at, column * 2);
    at += one.length;
  });
  const records = Buffer.concat(cells.filter((one) => one !== null));
  const old = first === 6 ? { 3: '', 4: '' } : {};
  return message({ 1: index, 2: cells.length, ...old, [first]: records, [first + 1]: offsets });
}

type Entry = Readonly<Record<number, Value>>;

/** The objects of a table, numbered from `id`. */
export const table = (
  id: number,
  name: string,
  rows: readonly Buffer[],
  lists: { strings?: readonly Entry[]; rich?: readonly Entry[]; comments?: readonly Entry[] } = {},
): Buffer[] => {
  const list = (at: number, type: number, entries: readonly Entry[] = []) =>
    object(at, 6005, message({ 1: type, 2: 99, 3: entries.map((entry) => message({ 2: 1, ...entry })) }));
  const store = message({
    3: message({ 1: message({ 1: 0, 2: reference(id + 2) }) }),
    4: reference(id + 3),
    17: reference(id + 4),
    19: reference(id + 5),
  });
  return [
    object(id, 6000, message({ 1: message({ 8: `what ${name} is` }), 2: reference(id + 1) })),
    object(id + 1, 6001, message({ 4: store, 8: name })),
    object(id + 2, 6002, message({ 5: [...rows] })),
    list(id + 3, 1, lists.strings),
    list(id + 4, 8, lists.rich),
    list(id + 5, 10, lists.comments),
  ];
};
