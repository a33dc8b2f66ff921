import { createDecipheriv, hash } from 'node:crypto';
import { byLibrarySync } from '../damage.ts';
import type { Extractor } from '../extractor.ts';
import { readMarkup } from '../markup/markup.ts';
import { type CompoundFile, isCompoundFile, openCompoundFile } from '../ole/compound-file.ts';
import { docx } from '../ooxml/docx.ts';
import { pptx } from '../ooxml/pptx.ts';
import { xlsb } from '../ooxml/xlsb.ts';
import { xlsx } from '../ooxml/xlsx.ts';
import { DEFAULT_PASSWORD, readCryptoApiHeader, utf16, word } from './office-encryption.ts';

const PACKAGE = 'EncryptedPackage';
const INFO = 'EncryptionInfo';
const MAX_INFO_BYTES = 1_000_000;
/** The size of the package precedes it. It needs no further bound, because the package is in memory already. */
const WORD_BYTES = 4;
const SIZE_BYTES = 8;

const STANDARD_SPINS = 50_000;
/** Office writes 100,000. A file may ask for any number, and each round costs a hash. */
const MAX_SPINS = 1_000_000;
const BLOCK_BYTES = 16;
const SEGMENT_BYTES = 4_096;

/** [MS-OFFCRYPTO] 2.3.4.11–13: the purposes of derived keys. */
const FOR_VERIFIER = Buffer.from('fea7d2763b4b9e79', 'hex');
const FOR_VERIFIER_HASH = Buffer.from('d7aa0f6d3061344e', 'hex');
const FOR_KEY = Buffer.from('146e0be7abacd0d6', 'hex');

const HASHES: ReadonlyMap<string, string> = new Map([
  ['MD5', 'md5'],
  ['SHA1', 'sha1'],
  ['SHA-1', 'sha1'],
  ['SHA256', 'sha256'],
  ['SHA384', 'sha384'],
  ['SHA512', 'sha512'],
]);

/** The formats inside an encrypted package, in the order in which they are tried. */
const INSIDE: readonly Extractor[] = [docx, xlsx, xlsb, pptx];

/**
 * Newer Office files that are encrypted with the default password of the applications. With another password they
 * stay unread.
 */
export const encryptedPackage: Extractor = {
  format: 'ooxml',
  version: 1,
  claims: ({ bytes }) => isCompoundFile(bytes) && openCompoundFile(bytes).has(PACKAGE),
  async extract(file, context) {
    const bytes = await decryptedPackage(openCompoundFile(file.bytes));
    const inside = bytes === null ? null : { ...file, bytes };
    const reader = inside === null ? undefined : INSIDE.find((candidate) => candidate.claims(inside));
    if (inside === null || reader === undefined) {
      return { state: 'unsupported', format: 'ooxml', reason: 'encrypted' };
    }
    return reader.extract(inside, context);
  },
};

async function decryptedPackage(file: CompoundFile): Promise<Uint8Array | null> {
  const info = file.stream(INFO, MAX_INFO_BYTES);
  const sealed = file.stream(PACKAGE, Number.POSITIVE_INFINITY);
  if (info === null || sealed === null || info.length < SIZE_BYTES || sealed.length < SIZE_BYTES) return null;
  const header = Buffer.from(info.buffer, info.byteOffset, info.byteLength);
  const decrypt = isAgile(header) ? await openAgile(header.subarray(8)) : openStandard(header);
  if (decrypt === null) return null;
  const size = Buffer.from(sealed.buffer, sealed.byteOffset, SIZE_BYTES).readUInt32LE(0);
  return decrypt(sealed.subarray(SIZE_BYTES)).subarray(0, size);
}

const isAgile = (header: Buffer) => header.readUInt16LE(0) === 4 && header.readUInt16LE(2) === 4;

type Decrypt = (sealed: Uint8Array) => Uint8Array;

const sha1 = (...parts: Uint8Array[]) => hash('sha1', Buffer.concat(parts), 'buffer');

/** [MS-OFFCRYPTO] 2.3.4.5–9: AES, block by block. */
function openStandard(header: Buffer): Decrypt | null {
  const api = readCryptoApiHeader(header);
  if (api === null || ![16, 24, 32].includes(api.keyBytes)) return null;
  const base = sha1(api.salt, utf16(DEFAULT_PASSWORD));
  const state = sha1(spun('sha1', base, STANDARD_SPINS), word(0));
  const stretched = [0x36, 0x5c].map((filling) => {
    const block = Buffer.alloc(64, filling);
    for (const [index, byte] of state.entries()) block.writeUInt8(byte ^ filling, index);
    return sha1(block);
  });
  const key = Buffer.concat(stretched).subarray(0, api.keyBytes);
  const decrypt: Decrypt = (sealed) => decipher(`aes-${key.length * 8}-ecb`, key, null, sealed);
  const expected = sha1(decrypt(api.verifier));
  return expected.equals(decrypt(api.verifierHash).subarray(0, expected.length)) ? decrypt : null;
}

/** Hashes repeatedly, each time with the number of the round. Works in place, because there are 100,000 rounds. */
function spun(algorithm: string, state: Uint8Array, spins: number): Buffer<ArrayBuffer> {
  const input = Buffer.concat([word(0), state]);
  for (let spin = 0; spin < spins; spin++) {
    input.writeUInt32LE(spin, 0);
    // A `binary` string costs a third of a buffer.
    input.write(hash(algorithm, input, 'binary'), WORD_BYTES, 'binary');
  }
  return input.subarray(WORD_BYTES);
}

/** The parameters of a key ([MS-OFFCRYPTO] 2.3.4.10), of the package or of its password. */
type AgileKey = {
  hash: string;
  cipher: string;
  keyBytes: number;
  salt: Buffer;
};

type AgileInfo = {
  data: AgileKey;
  password: AgileKey & { spins: number; verifier: Buffer; verifierHash: Buffer; sealedKey: Buffer };
};

async function openAgile(xml: Buffer): Promise<Decrypt | null> {
  const info = await readAgileInfo(xml);
  if (info === null || info.password.spins > MAX_SPINS) return null;
  const { data, password } = info;
  const base = hash(password.hash, Buffer.concat([password.salt, utf16(DEFAULT_PASSWORD)]), 'buffer');
  const state = spun(password.hash, base, password.spins);
  const unseal = (purpose: Buffer, sealed: Buffer) => {
    const key = fitted(hash(password.hash, Buffer.concat([state, purpose]), 'buffer'), password.keyBytes);
    return decipher(password.cipher, key, fitted(password.salt, BLOCK_BYTES), sealed);
  };
  const expected = hash(password.hash, unseal(FOR_VERIFIER, password.verifier), 'buffer');
  const found = unseal(FOR_VERIFIER_HASH, password.verifierHash).subarray(0, expected.length);
  if (!expected.equals(found)) return null;
  const key = unseal(FOR_KEY, password.sealedKey).subarray(0, data.keyBytes);
  return (sealed) => {
    const plain = Buffer.alloc(sealed.length);
    for (let at = 0; at < sealed.length; at += SEGMENT_BYTES) {
      const iv = hash(data.hash, Buffer.concat([data.salt, word(at / SEGMENT_BYTES)]), 'buffer');
      const segment = sealed.subarray(at, at + SEGMENT_BYTES);
      plain.set(decipher(data.cipher, key, fitted(iv, BLOCK_BYTES), segment), at);
    }
    return plain;
  };
}

async function readAgileInfo(xml: Buffer): Promise<AgileInfo | null> {
  let data: AgileKey | null = null;
  let password: AgileInfo['password'] | null = null;
  async function* chunks() {
    yield xml;
  }
  await readMarkup(
    chunks(),
    {
      open(name, tag) {
        const value = (key: string) => tag.attribute(key) ?? '';
        const bytes = (key: string) => Buffer.from(value(key), 'base64');
        if (name === 'keyData') data = agileKey(value);
        if (name !== 'encryptedKey' || password !== null) return;
        const key = agileKey(value);
        // Other key encryptors belong to certificates.
        if (key === null || value('spinCount') === '') return;
        password = {
          ...key,
          spins: Number(value('spinCount')),
          verifier: bytes('encryptedVerifierHashInput'),
          verifierHash: bytes('encryptedVerifierHashValue'),
          sealedKey: bytes('encryptedKeyValue'),
        };
      },
      text() {},
      close() {},
    },
    () => data !== null && password !== null,
  );
  return data === null || password === null ? null : { data, password };
}

/** Returns null for unsupported ciphers and hashes. */
function agileKey(value: (name: string) => string): AgileKey | null {
  const name = HASHES.get(value('hashAlgorithm'));
  const keyBits = Number(value('keyBits'));
  const mode = value('cipherChaining') === 'ChainingModeCFB' ? 'cfb8' : 'cbc';
  if (name === undefined || value('cipherAlgorithm') !== 'AES' || ![128, 192, 256].includes(keyBits))
    return null;
  return {
    hash: name,
    cipher: `aes-${keyBits}-${mode}`,
    keyBytes: keyBits / 8,
    salt: Buffer.from(value('saltValue'), 'base64'),
  };
}

/** [MS-OFFCRYPTO] 2.3.4.11: truncated, or padded with 0x36. */
const fitted = (bytes: Buffer, size: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(Math.max(0, size - bytes.length), 0x36)]).subarray(0, size);

/** Decrypts whole blocks only. Further bytes of a damaged file are lost. */
function decipher(cipher: string, key: Buffer, iv: Buffer | null, sealed: Uint8Array): Buffer {
  // A damaged header can hold a key that does not fit the cipher.
  const machine = byLibrarySync(() => createDecipheriv(cipher, key, iv)).setAutoPadding(false);
  const whole = sealed.subarray(0, sealed.length - (sealed.length % BLOCK_BYTES));
  return Buffer.concat([machine.update(whole), machine.final()]);
}
