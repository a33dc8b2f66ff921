import { createCipheriv, createHash } from 'node:crypto';
import { rc4 } from '../../../core/extractors/office/rc4.ts';
import { compoundFile } from './compound-file.ts';

const SALT = Buffer.from('0123456789abcdef');
const VERIFIER = Buffer.from('fedcba9876543210');

const digest = (algorithm: string, ...parts: Uint8Array[]) =>
  createHash(algorithm).update(Buffer.concat(parts)).digest();
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const words = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
};

/** The encryption header of a file with RC4, and the key of each block. */
export type Rc4File = { header: Buffer; key(block: number): Buffer };

/** 40-bit RC4 as in Office 97. */
export function binaryRc4(password: string): Rc4File {
  const base = digest('md5', utf16(password)).subarray(0, 5);
  const mixed = Array.from({ length: 16 }, () => Buffer.concat([base, SALT]));
  const seed = digest('md5', ...mixed).subarray(0, 5);
  const key = (block: number) => digest('md5', seed, words(block));
  const check = rc4(key(0), Buffer.concat([VERIFIER, digest('md5', VERIFIER)]));
  return { header: Buffer.concat([Buffer.from([1, 0, 1, 0]), SALT, check]), key };
}

/** The CryptoAPI header: version, flags, and the header preceded by its size. */
function cryptoApiHeader(algorithm: number, keyBits: number, check: Uint8Array): Buffer {
  const header = Buffer.concat([words(4, 0, algorithm, 0x8004, keyBits, 1, 0, 0), Buffer.from('N\0\0\0')]);
  return Buffer.concat([
    Buffer.from([4, 0, 2, 0]),
    words(4, header.length),
    header,
    words(SALT.length),
    SALT,
    check.subarray(0, 16),
    words(20),
    check.subarray(16),
  ]);
}

/** CryptoAPI RC4 as in Office 2002 and 2003. */
export function cryptoApiRc4(password: string, keyBits = 128): Rc4File {
  const seed = digest('sha1', SALT, utf16(password));
  const key = (block: number) => {
    const bytes = digest('sha1', seed, words(block)).subarray(0, keyBits / 8);
    return keyBits === 40 ? Buffer.concat([bytes, Buffer.alloc(11)]) : bytes;
  };
  const check = rc4(key(0), Buffer.concat([VERIFIER, digest('sha1', VERIFIER)]));
  return { header: cryptoApiHeader(0x6801, keyBits, check), key };
}

/** Encrypts each block of 512 bytes with its own key. */
export function encryptBlocks(data: Uint8Array, { key }: Rc4File): Buffer {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += 512) blocks.push(rc4(key(at / 512), data.subarray(at, at + 512)));
  return Buffer.concat(blocks);
}

function aes(mode: 'ecb' | 'cbc', key: Buffer, iv: Buffer | null, data: Uint8Array): Buffer {
  const machine = createCipheriv(`aes-${key.length * 8}-${mode}`, key, iv).setAutoPadding(false);
  const padded = Buffer.concat([data, Buffer.alloc((16 - (data.length % 16)) % 16)]);
  return Buffer.concat([machine.update(padded), machine.final()]);
}

const sealed = (size: number, data: Uint8Array) => Buffer.concat([words(size, 0), data]);

/** An OOXML package encrypted like Office 2007. */
export function standardPackage(bytes: Uint8Array, password: string): Uint8Array {
  let state = digest('sha1', SALT, utf16(password));
  for (let spin = 0; spin < 50_000; spin++) state = digest('sha1', words(spin), state);
  state = digest('sha1', state, words(0));
  const block = Buffer.alloc(64, 0x36);
  for (const [index, byte] of state.entries()) block[index] = byte ^ 0x36;
  const key = digest('sha1', block).subarray(0, 16);
  const check = Buffer.concat([
    aes('ecb', key, null, VERIFIER),
    aes('ecb', key, null, digest('sha1', VERIFIER)),
  ]);
  return compoundFile({
    EncryptionInfo: cryptoApiHeader(0x660e, 128, check),
    EncryptedPackage: sealed(bytes.length, aes('ecb', key, null, bytes)),
  });
}

/** An OOXML package encrypted like Office 2010 and later. */
export function agilePackage(bytes: Uint8Array, password: string, spins = 1_000): Uint8Array {
  let state = digest('sha512', SALT, utf16(password));
  for (let spin = 0; spin < Math.min(spins, 1_000); spin++) state = digest('sha512', words(spin), state);
  const seal = (purpose: string, data: Uint8Array) =>
    aes('cbc', digest('sha512', state, Buffer.from(purpose, 'hex')).subarray(0, 32), SALT, data).toString(
      'base64',
    );
  const key = digest('sha256', Buffer.from('key'));
  const common = `saltSize="16" blockSize="16" keyBits="256" hashSize="64" cipherAlgorithm="AES"
    cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512" saltValue="${SALT.toString('base64')}"`;
  const xml = `<?xml version="1.0"?><encryption xmlns="e" xmlns:p="p"><keyData ${common}/><keyEncryptors>
    <keyEncryptor><p:encryptedKey spinCount="${spins}" ${common}
    encryptedVerifierHashInput="${seal('fea7d2763b4b9e79', VERIFIER)}"
    encryptedVerifierHashValue="${seal('d7aa0f6d3061344e', digest('sha512', VERIFIER))}"
    encryptedKeyValue="${seal('146e0be7abacd0d6', key)}"/></keyEncryptor></keyEncryptors></encryption>`;
  const segments: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 4_096) {
    const iv = digest('sha512', SALT, words(at / 4_096)).subarray(0, 16);
    segments.push(aes('cbc', key, iv, bytes.subarray(at, at + 4_096)));
  }
  return compoundFile({
    EncryptionInfo: Buffer.concat([Buffer.from([4, 0, 4, 0, 0x40, 0, 0, 0]), Buffer.from(xml)]),
    EncryptedPackage: sealed(bytes.length, Buffer.concat(segments)),
  });
}
