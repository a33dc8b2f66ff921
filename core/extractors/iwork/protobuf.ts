import { Damaged } from '../damage.ts';

/** One field of a message. The file does not contain its type: text, bytes and nested messages look the same. */
export type Field = { number: number; value: number | Buffer };

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;
const MAX_VARINT_BYTES = 10;

/**
 * Yields the fields of a Protocol Buffers message without a schema. Integers above 2^53 lose precision. Eight bytes
 * are read as a double, four as a float.
 * Throws if the message is truncated, after yielding the fields before and the available part of the truncated field.
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
        if (at > message.length) throw new Damaged('protobuf_cut');
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
        throw new Damaged('protobuf_wire_type_unknown');
    }
  }
}

export function readVarint(data: Buffer, from: number): { value: number; end: number } {
  let value = 0;
  for (let at = from; at < from + MAX_VARINT_BYTES; at++) {
    const byte = data[at];
    if (byte === undefined) throw new Damaged('protobuf_cut');
    value += (byte & 0x7f) * 2 ** (7 * (at - from));
    if (byte < 0x80) return { value, end: at + 1 };
  }
  throw new Damaged('protobuf_varint_too_long');
}

/** The byte values of a repeated field, mostly messages. */
export function* bytesIn(message: Buffer, wanted: number): Generator<Buffer> {
  for (const { number, value } of fieldsOf(message)) {
    if (number === wanted && typeof value !== 'number') yield value;
  }
}

/** The nested message at a path of field numbers, or null if one is missing. */
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
