import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'a.tar', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

function entry(name: string, content: string, type = '0', size = Buffer.byteLength(content)): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  const padded = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
  padded.write(content);
  return Buffer.concat([header, padded]);
}

const END = Buffer.alloc(1024);

test('paths and texts of files, with folders, links and long names', async () => {
  const long = `deep/${'x'.repeat(120)}/c.txt`;
  const record = ` path=pay/d.txt\n`;
  const bytes = Buffer.concat([
    ...[entry('pay/', '', '5'), entry('pay/a.txt', 'salaries'), entry('link', '', '2')],
    ...[entry('././@LongLink', `${long}\0`, 'L'), entry('short', 'third')],
    ...[entry('PaxHeaders/d', `${record.length + 2}${record}`, 'x'), entry('d', 'fourth'), END],
  ]);
  const text = `pay/a.txt\nsalaries\n${long}\nthird\npay/d.txt\nfourth`;
  expect(await read(bytes)).toMatchObject({ state: 'available', format: 'tar', reason: null, text });
  expect(await read(gzipSync(bytes))).toMatchObject({ state: 'available', format: 'gz' });
});

test('a file that breaks off, a wrong size, and rubbish between entries', async () => {
  const cut = Buffer.concat([entry('a.txt', 'first'), entry('b.txt', 'second').subarray(0, 515)]);
  expect(await read(cut)).toMatchObject({
    ...{ state: 'partial', reason: 'damaged', text: 'a.txt\nfirst\nb.txt\nsec' },
  });
  const huge = entry('b.txt', 'second', '0', 8 ** 11 - 1);
  expect(await read(Buffer.concat([entry('a.txt', 'first'), huge, END]))).toMatchObject({
    ...{ state: 'partial', text: expect.stringContaining('first') },
  });
  const rubbish = Buffer.concat([entry('a.txt', 'first'), Buffer.alloc(512, 0x41), entry('b', 'x')]);
  expect(await read(rubbish)).toMatchObject({ state: 'partial', reason: 'damaged', text: 'a.txt\nfirst' });
});

test('entries past the bound are not read', async () => {
  const many = Buffer.concat([...Array.from({ length: 9 }, (_, at) => entry(`${at}.txt`, 'text')), END]);
  expect(await read(many, { maxMembers: 3 })).toMatchObject({ state: 'partial', reason: 'member_bound' });
});
