import { hash } from 'node:crypto';
import type { CompoundFile } from '../ole/compound-file.ts';
import { rc4 } from './rc4.ts';

/** The password that Excel and Word try before they ask, for workbooks with a protected structure only. */
export const DEFAULT_PASSWORD = 'VelvetSweatshop';

/** The password that PowerPoint tries before it asks, for presentations that are only read-only. */
export const PRESENTATION_PASSWORD = '/01Hannes Ruescher/01';

/** Whether a document is rights-managed. Its own streams then contain only a notice for old applications. */
export const isRightsManaged = (file: CompoundFile): boolean =>
  file.has('\tDRMContent') || file.has('\tDRMViewerContent');

const SALT_BYTES = 16;
const VERIFIER_BYTES = 16;
const RC4_ALGORITHM = 0x6801;
/** The version, flags and size that precede the CryptoAPI header. */
const CRYPTO_API_HEADER_AT = 12;

/** The RC4 key of each block of a file, after its password was verified. */
export type BlockKeys = (block: number) => Uint8Array;

/** The header of CryptoAPI encryption ([MS-OFFCRYPTO] 2.3.2) and its password verifier. */
export type CryptoApiHeader = {
  algorithm: number;
  keyBytes: number;
  salt: Buffer;
  verifier: Buffer;
  verifierHash: Buffer;
};

export const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/**
 * The keys of a file encrypted with RC4, read from its encryption header: the version, then the salt and verifier of
 * 40-bit RC4 ([MS-OFFCRYPTO] 2.3.6) or the CryptoAPI header (2.3.5).
 * Returns null if the password is wrong, the header is broken, or the cipher is another one.
 */
export function openRc4(header: Uint8Array, password: string): BlockKeys | null {
  const data = Buffer.from(header.buffer, header.byteOffset, header.byteLength);
  if (data.length < 4) return null;
  if (data.readUInt16LE(0) === 1 && data.readUInt16LE(2) === 1) return openBinaryRc4(data, password);
  const api = readCryptoApiHeader(data);
  return api?.algorithm === RC4_ALGORITHM ? openCryptoApiRc4(api, password) : null;
}

function openBinaryRc4(data: Buffer, password: string): BlockKeys | null {
  const salt = data.subarray(4, 4 + SALT_BYTES);
  const verifier = data.subarray(20, 20 + VERIFIER_BYTES);
  const verifierHash = data.subarray(36, 52);
  const base = hash('md5', utf16(password), 'buffer').subarray(0, 5);
  const mixed = Buffer.concat(Array.from({ length: 16 }, () => [base, salt]).flat());
  const seed = hash('md5', mixed, 'buffer').subarray(0, 5);
  const keys: BlockKeys = (block) => hash('md5', Buffer.concat([seed, word(block)]), 'buffer');
  return isRight(keys, 'md5', verifier, verifierHash) ? keys : null;
}

function openCryptoApiRc4(header: CryptoApiHeader, password: string): BlockKeys | null {
  const seed = hash('sha1', Buffer.concat([header.salt, utf16(password)]), 'buffer');
  const keys: BlockKeys = (block) => {
    const key = hash('sha1', Buffer.concat([seed, word(block)]), 'buffer').subarray(0, header.keyBytes);
    // The shortest key is padded with zeros.
    return header.keyBytes === 5 ? Buffer.concat([key, Buffer.alloc(11)]) : key;
  };
  return isRight(keys, 'sha1', header.verifier, header.verifierHash) ? keys : null;
}

function isRight(keys: BlockKeys, algorithm: string, verifier: Buffer, verifierHash: Buffer): boolean {
  const plain = rc4(keys(0), Buffer.concat([verifier, verifierHash]));
  const expected = hash(algorithm, plain.subarray(0, verifier.length), 'buffer');
  return (
    verifier.length === VERIFIER_BYTES &&
    expected.equals(plain.subarray(verifier.length, verifier.length + expected.length))
  );
}

/** Reads the CryptoAPI header, including the version. Returns null if it is broken. */
export function readCryptoApiHeader(data: Buffer): CryptoApiHeader | null {
  if (data.length < CRYPTO_API_HEADER_AT + 20) return null;
  const verifierAt = CRYPTO_API_HEADER_AT + data.readUInt32LE(8);
  const saltAt = verifierAt + 4;
  const hashAt = saltAt + SALT_BYTES + VERIFIER_BYTES + 4;
  if (hashAt + 20 > data.length) return null;
  const keyBits = data.readUInt32LE(CRYPTO_API_HEADER_AT + 16);
  return {
    algorithm: data.readUInt32LE(CRYPTO_API_HEADER_AT + 8),
    // 0 means 40 bits.
    keyBytes: keyBits === 0 ? 5 : keyBits >> 3,
    salt: data.subarray(saltAt, saltAt + SALT_BYTES),
    verifier: data.subarray(saltAt + SALT_BYTES, saltAt + SALT_BYTES + VERIFIER_BYTES),
    // With AES, it is padded to whole blocks.
    verifierHash: data.subarray(hashAt, hashAt + 32),
  };
}

/**
 * Decrypts a stream in which each block of `blockBytes` has its own key. Take parts that the format leaves plain,
 * such as record headers, from the original: the cipher still advances over them.
 */
export function decryptBlocks(data: Uint8Array, blockBytes: number, keys: BlockKeys): Uint8Array {
  const plain = new Uint8Array(data.length);
  for (let at = 0, block = 0; at < data.length; at += blockBytes, block++) {
    plain.set(rc4(keys(block), data.subarray(at, at + blockBytes)), at);
  }
  return plain;
}
