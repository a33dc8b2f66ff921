import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import {
  DEFAULT_PASSWORD,
  openRc4,
  PRESENTATION_PASSWORD,
} from '../../../../core/extractors/office/office-encryption.ts';
import { rc4 } from '../../../../core/extractors/office/rc4.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { cpuMs } from '../../../support/cpu-time.ts';
import { compoundFile } from '../../../support/documents/compound-file.ts';
import { docStreams } from '../../../support/documents/doc.ts';
import {
  agilePackage,
  binaryRc4,
  cryptoApiRc4,
  encryptBlocks,
  type Rc4File,
  standardPackage,
} from '../../../support/documents/office-encryption.ts';
import { docxWithBody, paragraph } from '../../../support/documents/packages.ts';
import { pptStreams, slide, textCharacters } from '../../../support/documents/ppt.ts';

const read = (bytes: Uint8Array) =>
  extract({ name: 'file', mimeType: null, bytes }, DEFAULT_EXTRACTION.bounds);

const encrypted = (format: string) => ({ state: 'unsupported', format, reason: 'encrypted' });

// Larger than a segment, so that a second one must be opened too.
const PACKAGE = docxWithBody(paragraph('Quarterly secret'), {
  'word/media/noise.bin': Buffer.from(Array.from({ length: 6_000 }, (_, n) => (n * n * 31) & 255)).toString(
    'latin1',
  ),
});

test('RC4 gives the published keystreams', () => {
  const vectors: [string, string, string][] = [
    ['Key', 'Plaintext', 'bbf316e8d940af0ad3'],
    ['Wiki', 'pedia', '1021bf0420'],
    ['Secret', 'Attack at dawn', '45a01f645fc35b383552544b9bf5'],
  ];
  for (const [key, plain, expected] of vectors) {
    expect(Buffer.from(rc4(Buffer.from(key), Buffer.from(plain))).toString('hex')).toBe(expected);
  }
});

test.for<[string, (bytes: Uint8Array, password: string) => Uint8Array]>([
  ['standard', standardPackage],
  ['agile', agilePackage],
])('a package under the default password is read, %s encryption', async ([, seal]) => {
  expect(await read(seal(PACKAGE, DEFAULT_PASSWORD))).toMatchObject({
    state: 'available',
    format: 'docx',
    text: 'Quarterly secret',
  });
  expect(await read(seal(PACKAGE, 'another'))).toEqual(encrypted('ooxml'));
});

test('a file that asks for more work than any application does stays shut', async () => {
  const before = cpuMs();
  expect(await read(agilePackage(PACKAGE, DEFAULT_PASSWORD, 100_000_000))).toEqual(encrypted('ooxml'));
  expect(cpuMs() - before).toBeLessThan(5_000);
});

test('an encrypted package with a broken head is encrypted, not a crash', async () => {
  for (const EncryptionInfo of ['', 'x', Buffer.from([4, 0, 4, 0, 0, 0, 0, 0]), Buffer.alloc(300, 4)]) {
    const file = compoundFile({ EncryptionInfo, EncryptedPackage: Buffer.alloc(64) });
    expect(await read(file)).toEqual(encrypted('ooxml'));
  }
});

test.for<[string, (password: string) => Rc4File]>([
  ['RC4', binaryRc4],
  ['CryptoAPI with 128 bits', (password) => cryptoApiRc4(password)],
  ['CryptoAPI with 40 bits', (password) => cryptoApiRc4(password, 40)],
])('keys of %s are found with the right password only', ([, cipher]) => {
  const { header, key } = cipher('open sesame');
  expect(openRc4(header, 'another')).toBeNull();
  expect(openRc4(header, 'open sesame')?.(7)).toEqual(key(7));
  for (let size = 0; size < header.length; size++) {
    expect(openRc4(header.subarray(0, size), 'another')).toBeNull();
  }
});

function encryptedDoc(file: Rc4File): Uint8Array {
  const plain = docStreams({ pieces: [{ text: 'Salaries of the board\r' }], flags: 0x0100 });
  plain.document.writeUInt32LE(file.header.length, 14);
  // Behind the head of the encryption, so that offsets in the table stream move.
  const table = Buffer.concat([Buffer.alloc(file.header.length), plain.table]);
  const moved = Buffer.from(plain.document);
  moved.writeUInt32LE(moved.readUInt32LE(154 + 33 * 8) + file.header.length, 154 + 33 * 8);
  const document = encryptBlocks(moved, file);
  moved.copy(document, 0, 0, 68);
  const sealedTable = encryptBlocks(table, file);
  file.header.copy(sealedTable);
  return compoundFile({ WordDocument: document, '1Table': sealedTable });
}

test.for([
  ['RC4', binaryRc4],
  ['CryptoAPI', cryptoApiRc4],
] as const)('a Word document under the default password is read, %s', async ([, cipher]) => {
  expect(await read(encryptedDoc(cipher(DEFAULT_PASSWORD)))).toMatchObject({ text: 'Salaries of the board' });
  expect(await read(encryptedDoc(cipher('another')))).toEqual(encrypted('doc'));
});

function encryptedPpt({ header, key }: Rc4File): Uint8Array {
  const object = slide(textCharacters('Merger in May'));
  const session = Buffer.concat([Buffer.from([0, 0, 0x14, 0x2f]), Buffer.alloc(4), header]);
  session.writeUInt32LE(header.length, 4);
  const { presentation, user } = pptStreams([Buffer.from(rc4(key(1), object)), session], [], 2);
  return compoundFile({ 'PowerPoint Document': presentation, 'Current User': user });
}

test('a presentation that is only read-only is read', async () => {
  expect(await read(encryptedPpt(cryptoApiRc4(PRESENTATION_PASSWORD)))).toMatchObject({
    text: 'Merger in May',
  });
  expect(await read(encryptedPpt(cryptoApiRc4('another')))).toEqual(encrypted('ppt'));
});
