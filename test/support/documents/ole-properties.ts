const UTF16 = 1200;

type Value = string | Date | number;

function typed(value: Value): Buffer {
  if (typeof value === 'number') return Buffer.from([3, 0, 0, 0, value, 0, 0, 0]);
  if (typeof value === 'string') {
    const text = Buffer.from(`${value}\0`, 'utf16le');
    const head = Buffer.from([31, 0, 0, 0, value.length + 1, 0, 0, 0]);
    return Buffer.concat([head, text, Buffer.alloc((4 - (text.length % 4)) % 4)]);
  }
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32LE(0x40, 0);
  bytes.writeBigUInt64LE((BigInt(value.getTime()) + 11_644_473_600_000n) * 10_000n, 4);
  return bytes;
}

/** The name dictionary of custom properties. */
function dictionary(names: readonly string[]): Buffer {
  const count = Buffer.from([names.length, 0, 0, 0]);
  const entries = names.map((name, index) => {
    const text = Buffer.from(`${name}\0`, 'utf16le');
    const head = Buffer.from([index + 2, 0, 0, 0, name.length + 1, 0, 0, 0]);
    return Buffer.concat([head, text, Buffer.alloc((4 - (text.length % 4)) % 4)]);
  });
  return Buffer.concat([count, ...entries]);
}

function propertySet(values: readonly (readonly [number, Buffer])[]): Buffer {
  const codePage = Buffer.from([2, 0, 0, 0, UTF16 & 255, UTF16 >> 8, 0, 0]);
  const all = [[1, codePage] as const, ...values];
  const head = Buffer.alloc(8 + all.length * 8);
  let at = head.length;
  head.writeUInt32LE(all.length, 4);
  for (const [index, [id, bytes]] of all.entries()) {
    head.writeUInt32LE(id, 8 + index * 8);
    head.writeUInt32LE(at, 12 + index * 8);
    at += bytes.length;
  }
  head.writeUInt32LE(at, 0);
  return Buffer.concat([head, ...all.map(([, bytes]) => bytes)]);
}

/** A summary stream with built-in properties by id and custom properties by name. */
export function propertyStream(
  builtIn: Readonly<Record<number, Value>>,
  custom: Readonly<Record<string, Value>> = {},
): Uint8Array {
  const names = Object.keys(custom);
  const sets = [propertySet(Object.entries(builtIn).map(([id, value]) => [Number(id), typed(value)]))];
  if (names.length > 0) {
    const values = Object.values(custom).map((value, index) => [index + 2, typed(value)] as const);
    sets.push(propertySet([[0, dictionary(names)], ...values]));
  }
  const head = Buffer.alloc(28 + sets.length * 20);
  head.writeUInt16LE(0xfffe, 0);
  head.writeUInt32LE(sets.length, 24);
  let at = head.length;
  for (const [index, set] of sets.entries()) {
    head.writeUInt32LE(at, 28 + index * 20 + 16);
    at += set.length;
  }
  return new Uint8Array(Buffer.concat([head, ...sets]));
}
