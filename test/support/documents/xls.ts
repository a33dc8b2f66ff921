import { hash } from 'node:crypto';
import { rc4 } from '../../../core/extractors/office/rc4.ts';
import { double, short, word } from './words.ts';

export const record = (type: number, ...parts: Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(parts);
  return Buffer.concat([short(type), short(bytes.length), bytes]);
};

/** A text of version 8 without its length. One byte per character if possible. */
export const characters = (text: string): Buffer =>
  /^[\0-\xff]*$/.test(text)
    ? Buffer.concat([Buffer.from([0]), Buffer.from(text, 'latin1')])
    : Buffer.concat([Buffer.from([1]), Buffer.from(text, 'utf16le')]);

export const text = (value: string): Buffer => Buffer.concat([short(value.length), characters(value)]);
export const shortText = (value: string): Buffer =>
  Buffer.concat([Buffer.from([value.length]), characters(value)]);

const WORKBOOK = 5;
const SHEET = 0x10;
const begin = (kind: number) => record(0x809, short(0x600), short(kind), Buffer.alloc(12));
const END = record(0x0a);

/** The stream of a workbook of version 8: its global records, then those of one sheet. */
export const workbook = (globals: readonly Uint8Array[], sheet: readonly Uint8Array[]): Buffer =>
  Buffer.concat([begin(WORKBOOK), ...globals, END, begin(SHEET), ...sheet, END]);

export const sheetName = (name: string) => record(0x85, word(0), short(1), shortText(name));

const cell = (row: number, style: number) => Buffer.concat([short(row), short(0), short(style)]);
export const label = (row: number, value: string) => record(0x204, cell(row, 0), text(value));
export const sharedLabel = (row: number, index: number) => record(0xfd, cell(row, 0), word(index));
export const number = (row: number, value: number, style = 0) =>
  record(0x203, cell(row, style), double(value));
export const rk = (row: number, value: number, style = 0) => record(0x27e, cell(row, style), word(value));
export const formula = (row: number, result: Uint8Array, tokens: Uint8Array = Buffer.alloc(0)) =>
  record(0x06, cell(row, 0), result, Buffer.alloc(8), tokens);

const PLAIN_TYPES = [0x809, 0x2f, 0xe1];
const SHEET_TYPE = 0x85;

/** Changes the encryptable bytes of each record with `change`, which receives their offset in the stream. */
function sealed(stream: Buffer, change: (at: number, start: number, end: number) => number): Buffer {
  const result = Buffer.from(stream);
  for (let at = 0; at + 4 <= stream.length; ) {
    const [type, start] = [stream.readUInt16LE(at), at + 4];
    const end = start + stream.readUInt16LE(at + 2);
    const from = type === SHEET_TYPE ? start + 4 : start;
    for (let byte = from; byte < end && !PLAIN_TYPES.includes(type); byte++) {
      result[byte] = change(byte, start, end);
    }
    at = end;
  }
  return result;
}

/** Inserts the encryption record as the second record of a stream. */
const withPass = (stream: Buffer, pass: Buffer) => {
  const afterBegin = 4 + stream.readUInt16LE(2);
  return Buffer.concat([stream.subarray(0, afterBegin), pass, stream.subarray(afterBegin)]);
};

const md5 = (...parts: Uint8Array[]): Buffer => hash('md5', Buffer.concat(parts), 'buffer');

/** Encrypts the stream with 40-bit RC4 ([MS-OFFCRYPTO] 2.3.6). */
export function encryptedRc4(stream: Buffer, password: string): Buffer {
  const salt = Buffer.alloc(16, 7);
  const base = md5(Buffer.from(password, 'utf16le')).subarray(0, 5);
  const seed = md5(...Array.from({ length: 16 }, () => [base, salt]).flat()).subarray(0, 5);
  const key = (block: number) => md5(seed, word(block));
  const verifier = Buffer.alloc(16, 9);
  const check = rc4(key(0), Buffer.concat([verifier, md5(verifier)]));
  const plain = withPass(stream, record(0x2f, short(1), short(1), short(1), salt, check));
  const ciphered = Buffer.concat(
    Array.from({ length: Math.ceil(plain.length / 1024) }, (_, block) =>
      rc4(key(block), plain.subarray(block * 1024, (block + 1) * 1024)),
    ),
  );
  return sealed(plain, (at) => ciphered[at] ?? 0);
}

/** Obfuscates the stream with the application's default password, whose verifier is this one for any key. */
export function obfuscated(stream: Buffer, verifier: number): Buffer {
  const key = 0x1234;
  const array = [...Buffer.from('VelvetSweatshop'), 0xbb].map((byte, index) => {
    const mixed = byte ^ ((key >> (index % 2 === 0 ? 0 : 8)) & 0xff);
    return ((mixed << 2) | (mixed >> 6)) & 0xff;
  });
  const plain = withPass(stream, record(0x2f, short(0), short(key), short(verifier)));
  return sealed(plain, (at, start, end) => {
    const mixed = (plain[at] ?? 0) ^ (array[(at - start + end) % 16] ?? 0);
    return ((mixed >> 3) | (mixed << 5)) & 0xff;
  });
}
