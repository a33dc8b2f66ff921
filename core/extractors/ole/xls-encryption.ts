import { DEFAULT_PASSWORD, decryptBlocks, openRc4 } from '../office/office-encryption.ts';
import { recordExtents } from './xls-records.ts';

const FILE_PASS = 0x2f;
const SHEET = 0x85;
/** The start of a sheet record, which is not encrypted. */
const SHEET_PLAIN_BYTES = 4;
/** Records that are not encrypted ([MS-XLS] 2.2.10), including the first record of each version's streams. */
const PLAIN: ReadonlySet<number> = new Set([
  0x809,
  0x409,
  0x209,
  0x9,
  FILE_PASS,
  0xe1,
  0x194,
  0x195,
  0x196,
  0x138,
]);

const CIPHER_BLOCK_BYTES = 1_024;
const XOR = 0;

/** The verifier of the default password ([MS-OFFCRYPTO] 2.3.7.1). */
const DEFAULT_VERIFIER = passwordVerifier(DEFAULT_PASSWORD);
/** Pads a password to the length of the array. With the default password only the first byte is used. */
const PADDING = 0xbb;

/**
 * The decrypted stream. Returns the stream itself if it is not encrypted, and null if it needs another password than
 * the application's default.
 */
export function plainStream(stream: Buffer): Buffer | null {
  const fields = filePass(stream);
  if (fields === null) return stream;
  // Before version 8 there was a single method, which the record does not name.
  const method = fields.length === 4 ? XOR : fields.length > 4 ? fields.readUInt16LE(0) : Number.NaN;
  if (method === XOR) return plainFromXor(stream, fields.subarray(-4));
  const keys = openRc4(fields.subarray(2), DEFAULT_PASSWORD);
  if (keys === null) return null;
  const decrypted = decryptBlocks(stream, CIPHER_BLOCK_BYTES, keys);
  const plain = Buffer.from(stream);
  for (const { from, end } of sealedExtents(stream)) plain.set(decrypted.subarray(from, end), from);
  return plain;
}

function filePass(stream: Buffer): Buffer | null {
  for (const { type, start, end } of recordExtents(stream)) {
    if (type === FILE_PASS) return stream.subarray(start, end);
  }
  return null;
}

/** The encrypted parts of a stream: the content of records, without types and sizes. */
function* sealedExtents(stream: Buffer): Generator<{ start: number; from: number; end: number }> {
  for (const { type, start, end } of recordExtents(stream)) {
    if (type === SHEET) yield { start, from: Math.min(start + SHEET_PLAIN_BYTES, end), end };
    else if (!PLAIN.has(type)) yield { start, from: start, end };
  }
}

/**
 * [MS-OFFCRYPTO] 2.3.7.3: each byte is rotated and combined with one of sixteen key bytes. The index counts from the
 * end of the record.
 */
function plainFromXor(stream: Buffer, keyAndVerifier: Buffer): Buffer | null {
  if (keyAndVerifier.readUInt16LE(2) !== DEFAULT_VERIFIER) return null;
  const array = [...Buffer.from(DEFAULT_PASSWORD), PADDING].map((byte, index) => {
    const mixed = byte ^ (keyAndVerifier[index & 1] ?? 0);
    return ((mixed << 2) | (mixed >> 6)) & 0xff;
  });
  const plain = Buffer.from(stream);
  for (const { start, from, end } of sealedExtents(stream)) {
    for (let at = from; at < end; at++) {
      const byte = stream[at] ?? 0;
      plain[at] = (((byte << 3) | (byte >> 5)) & 0xff) ^ (array[(at + end - start) & 15] ?? 0);
    }
  }
  return plain;
}

function passwordVerifier(password: string): number {
  let verifier = 0;
  for (const byte of [...Buffer.from(password)].reverse().concat(password.length)) {
    verifier = (((verifier >> 14) & 1) | ((verifier << 1) & 0x7fff)) ^ byte;
  }
  return verifier ^ 0xce4b;
}
