import { expect, test } from 'vitest';
import { extract } from '../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../core/extractors/pool/extraction-pool.ts';
import { compoundFile } from '../../support/documents/compound-file.ts';
import { docxWithBody, withDirectory, zip } from '../../support/documents/packages.ts';
import { pdfOf, pdfText } from '../../support/documents/pdf.ts';

const read = (bytes: Uint8Array, name = 'file.txt') =>
  extract({ name, mimeType: null, bytes }, DEFAULT_EXTRACTION.bounds);

const unsupported = (format: string, reason = 'unknown_format') => ({ state: 'unsupported', format, reason });

const withZeros = (magic: string) => Buffer.concat([Buffer.from(magic, 'latin1'), Buffer.alloc(64)]);

test.for<[string, Uint8Array]>([
  ['postscript', Buffer.from('%!PS-Adobe-3.0')],
  ['unknown', withZeros('MSWIM\0\0\0')],
  ['image', withZeros('\x89PNG\r\n')],
  ['image', withZeros('BM')],
  ['media', withZeros('\0\0\0\x18ftypmp42')],
  ['executable', withZeros('MZ')],
  ['unknown', withZeros('no \x0e format \x0f at all')],
  ['visio', zip({ '[Content_Types].xml': '<T/>', 'visio/document.xml': '<d/>' })],
  ['ppt', compoundFile({ PP40: '' })],
  ['ole2', compoundFile({ Whatever: '' })],
])('%s is named, whatever the file calls itself', async ([format, bytes]) => {
  expect(await read(bytes)).toEqual(unsupported(format));
});

test('an OpenDocument file says what it is in its first, uncompressed member', async () => {
  const stored = Buffer.from(zip({ mimetype: 'x' }));
  const type = 'application/vnd.oasis.opendocument.spreadsheet';
  const file = Buffer.concat([stored.subarray(0, 38), Buffer.from(type), stored.subarray(38)]);
  expect(await read(file)).toMatchObject({ format: 'ods' });
});

test('a text that begins like a binary format is a text', async () => {
  expect(await read(Buffer.from('MZ is the home of the BM archive'))).toMatchObject({ state: 'available' });
});

test('an archive cut within the end of its directory costs itself only', async () => {
  const empty = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]);
  for (const size of [4, 10, 21]) {
    const cut = empty.subarray(0, size);
    expect(await read(cut)).toEqual({ state: 'failed', format: 'zip', reason: 'corrupt' });
    expect(await read(zip({ 'a.zip': cut, 'b.txt': 'a text' }))).toMatchObject({
      text: 'a.zip\nb.txt\na text',
    });
  }
});

test.for<[string, string, Uint8Array]>([
  ['an encrypted package', 'ooxml', compoundFile({ EncryptionInfo: '', EncryptedPackage: '' })],
  ['a document under rights management', 'doc', compoundFile({ WordDocument: '', '\tDRMContent': '' })],
  ['an archive with an encrypted member', 'zip', encrypted(zip({ 'a.txt': 'secret' }))],
  ['a package with an encrypted part', 'docx', encrypted(docxWithBody(''))],
  [
    'a PDF that asks for a password',
    'pdf',
    pdfOf([pdfText('x')], {
      trailer: `/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -1/O<${'00'.repeat(32)}>/U<${'00'.repeat(32)}>>>`,
    }),
  ],
  ['an OpenPGP message in letters', 'pgp', Buffer.from('-----BEGIN PGP MESSAGE-----\n\nhQEMA\n')],
  ['a file sealed with age', 'age', withZeros('age-encryption.org/v1\n-> X25519 x\n')],
  ['a file that openssl enc wrote', 'openssl', withZeros('Salted__')],
  ['secrets of Ansible', 'ansible', Buffer.from('$ANSIBLE_VAULT;1.1;AES256\n6131\n')],
  ['a sealed message', 'pkcs7', Buffer.from('308006092a864886f70d010703a0800000', 'hex')],
  ['a KeePass database', 'keepass', withZeros('\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5')],
])('%s is encrypted', async ([, format, bytes]) => {
  expect(await read(bytes)).toEqual(unsupported(format, 'encrypted'));
});

function encrypted(archive: Uint8Array): Uint8Array {
  return withDirectory(archive, (data, record) =>
    data.writeUInt16LE(data.readUInt16LE(record + 8) | 1, record + 8),
  );
}
