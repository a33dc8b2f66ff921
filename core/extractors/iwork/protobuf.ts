/** One field of a message. Its type is not in the file: a text, bytes and a message inside all look the same. */
export type Field = { number: number; value: number | Buffer };

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;
const MAX_VARINT_BYTES = 10;

/**
 * The fields of a message in the binary form of Protocol Buffers, without its schema, one after the other. Whole
 * numbers lose their lowest bits past 2^53; eight bytes are read as a double, four as a float.
 * Throws where the message breaks off, after the fields before and what there is of the one that is cut.
 */
export function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  while (at < message.length) {
    const key = readVarint(message, at);
    const number = Math.floor(key.value / 8);
    at = key.end;
    switch (key.value % 8) {
      case VARINT: {
        const { value, end } = readVarint(message, at);
        at = end;
        yield { number, value };
        break;
      }
      case BYTES: {
        const { value: length, end } = readVarint(message, at);
        at = end + length;
        yield { number, value: message.subarray(end, at) };
        if (at > message.length) throw new Error('protobuf_cut');
        break;
      }
      case FIXED_64:
        yield { number, value: message.readDoubleLE(at) };
        at += 8;
        break;
      case FIXED_32:
        yield { number, value: message.readFloatLE(at) };
        at += 4;
        break;
      default:
        throw new Error('protobuf_wire_type_unknown');
    }
  }
}

export function readVarint(data: Buffer, from: number): { value: number; end: number } {
  let value = 0;
  for (let at = from; at < from + MAX_VARINT_BYTES; at++) {
    const byte = data[at];
    if (byte === undefined) throw new Error('protobuf_cut');
    value += (byte & 0x7f) * 2 ** (7 * (at - from));
    if (byte < 0x80) return { value, end: at + 1 };
  }
  throw new Error('protobuf_varint_too_long');
}

/** The bytes of a field that may come again and again: messages, mostly. */
export function* bytesIn(message: Buffer, wanted: number): Generator<Buffer> {
  for (const { number, value } of fieldsOf(message)) {
    if (number === wanted && typeof value !== 'number') yield value;
  }
}

/** The message that is reached from this one by a field of a field; null where one is missing. */
export function messageIn(message: Buffer, ...path: readonly number[]): Buffer | null {
  let found = message;
  for (const number of path) {
    const [next] = bytesIn(found, number);
    if (next === undefined) return null;
    found = next;
  }
  return found;
}

export const textIn = (message: Buffer, number: number): string =>
  messageIn(message, number)?.toString('utf8') ?? '';

export function numberIn(message: Buffer, wanted: number): number | null {
  for (const { number, value } of fieldsOf(message)) {
    if (number === wanted && typeof value === 'number') return value;
  }
  return null;
}
