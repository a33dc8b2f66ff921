import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { compoundFile } from '../../../support/documents/compound-file.ts';
import { packedFile } from '../../../support/documents/rtf.ts';
import { double, short, word } from '../../../support/documents/words.ts';
import {
  characters,
  encryptedRc4,
  formula,
  label,
  number,
  obfuscated,
  record,
  rk,
  sharedLabel,
  sheetName,
  shortText,
  text,
  workbook,
} from '../../../support/documents/xls.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'file', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });
const readStream = (stream: Buffer, more: Record<string, Uint8Array> = {}) =>
  read(compoundFile({ Workbook: stream, ...more }));
const available = (text: string) => ({ state: 'available', format: 'xls', text, reason: null });

const format = (id: number, code: string) => record(0x41e, short(id), text(code));
const style = (id: number) => record(0xe0, short(0), short(id), Buffer.alloc(16));

test('cells of every kind, by row, as they are shown', async () => {
  const globals = [format(164, '000\\-00\\-0000'), style(0), style(164), style(14), sheetName('Löhne')];
  const sheet = [
    label(0, 'Jane'),
    number(0, 123456789, 1),
    rk(0, (30819 << 2) | 2, 2),
    record(0xbd, short(1), short(0), short(0), word((7 << 2) | 2), short(0), word((850 << 2) | 3), short(1)),
    record(0x205, short(2), short(0), short(0), Buffer.from([1, 0])),
    record(0x205, short(2), short(1), short(0), Buffer.from([0x2a, 1])),
    formula(3, double(2.5)),
    formula(3, Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff])),
    record(0x207, text('résult')),
    formula(3, Buffer.from([1, 0, 0, 0, 0, 0, 0xff, 0xff])),
  ];
  expect(await readStream(workbook(globals, sheet))).toEqual(
    available('Löhne\nJane\t123-45-6789\t1984-05-17\n7\t8.5\nTRUE\t#N/A\n2.5\trésult\tFALSE'),
  );
});

test('where a click on a formula leads', async () => {
  const string = Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff]);
  const tokens = Buffer.concat([
    Buffer.from([0x17, 13, 0]),
    Buffer.from('https://e.org'),
    Buffer.from([0x17, 1, 0, 0x78]),
  ]);
  const sheet = [formula(0, string, tokens), record(0x207, text('go')), formula(0, double(1))];
  expect(await readStream(workbook([], sheet))).toEqual(available('go https://e.org\t1'));
});

test('shared strings across records, in one and two bytes, with fonts and phonetics', async () => {
  const phonetic = Buffer.concat([Buffer.alloc(12), short(2), Buffer.from('ヤマ', 'utf16le')]);
  const rich = Buffer.concat([
    short(2),
    Buffer.from([0x0d]),
    short(1),
    word(phonetic.length),
    Buffer.from('山本', 'utf16le'),
    Buffer.alloc(4),
    phonetic,
  ]);
  const strings = [
    record(0xfc, word(3), word(3), rich, short(8), Buffer.from([0]), Buffer.from('Joh')),
    record(0x3c, Buffer.from([1]), Buffer.from('n Дy', 'utf16le')),
    record(0x3c, Buffer.from([0]), Buffer.from('!'), text('third')),
  ];
  const sheet = [sharedLabel(0, 2), sharedLabel(0, 1), sharedLabel(1, 0), sharedLabel(1, 99)];
  expect(await readStream(workbook(strings, sheet))).toEqual(available('third\tJohn Дy!\n山本 ヤマ'));
});

test('comments, text boxes, headers, names, links, hints, series, alternative texts', async () => {
  const name = record(0x18, short(0), Buffer.from([0, 4]), Buffer.alloc(10), characters('Rate'));
  const builtIn = record(0x18, short(0x20), Buffer.from([0, 1]), Buffer.alloc(10), characters('\x06'));
  const url = Buffer.from('https://e.org\0', 'utf16le');
  const moniker = Buffer.from('e0c9ea79f9bace118c8200aa004ba90b', 'hex');
  const link = record(0x1b8, Buffer.alloc(24), word(2), word(3), moniker, word(url.length), url);
  const alternative = Buffer.from('a map\0', 'utf16le');
  const shape = [
    short(0x13),
    short(0xf00b),
    word(6 + alternative.length),
    short(0xc381),
    word(alternative.length),
  ];
  const sheet = [
    record(0x14, text('&L&"Arial,Bold"&12Secret &P')),
    record(0x89c, Buffer.alloc(30), short(4), short(0), short(0), short(0), text('even')),
    record(0x1c, Buffer.alloc(8), text('Ann')),
    record(0xec, ...shape, alternative),
    record(0x1b6, Buffer.alloc(10), short(6), Buffer.alloc(6)),
    record(0x3c, characters('remark')),
    record(0x3c, Buffer.alloc(16)),
    link,
    record(0x1be, word(0), text('Hint'), text('Error'), text('prompt'), text('wrong')),
    record(0x100d, short(0), shortText('Sales')),
  ];
  expect(await readStream(workbook([name, builtIn], sheet))).toEqual(
    available('Rate\nSecret\neven\nAnn\na map\nremark\nhttps://e.org\nHint\nError\nprompt\nwrong\nSales'),
  );
});

test('older versions: a code page, formats by order, streams without a compound file', async () => {
  const begin5 = record(0x809, short(0x500), short(5), Buffer.alloc(4));
  const label5 = record(0x204, Buffer.alloc(6), short(6), Buffer.from('cff0e8e2e5f2', 'hex'));
  const fifth = Buffer.concat([begin5, record(0x42, short(1251)), label5, record(0x0a)]);
  expect(await read(compoundFile({ Book: fifth }))).toEqual(available('Привет'));
  const second = Buffer.concat([
    record(0x09, short(2), short(0x10)),
    record(0x1e, Buffer.from([7]), Buffer.from('General')),
    record(0x1e, Buffer.from([2]), Buffer.from('0%')),
    record(0x43, Buffer.from([0, 0, 0, 0])),
    record(0x43, Buffer.from([0, 0, 1, 0])),
    record(0x04, Buffer.alloc(7), Buffer.from([3]), Buffer.from('old')),
    record(0x03, Buffer.from([0, 0, 1, 0, 1, 0, 0]), double(0.5)),
    record(0x02, Buffer.from([1, 0, 0, 0, 0, 0, 0]), short(42)),
    record(0x0a),
  ]);
  expect(await read(second)).toEqual(available('old\t50%\n42'));
});

test('files inside, and the rows that a pivot table keeps', async () => {
  const stream = workbook([], [label(0, 'outer')]);
  const file = packedFile('letter.txt', Buffer.from('dear all'));
  const more = {
    'MBD0001/\x01Ole10Native': Buffer.concat([word(file.length), file]),
    'MBD0002/Workbook': workbook([], [label(0, 'inner')]),
    '_SX_DB_CUR/0001': Buffer.concat([record(0xcd, text('cached')), record(0x0a)]),
  };
  const outcome = await readStream(stream, more);
  expect(outcome).toMatchObject({ state: 'available', contains: { length: 2 } });
  expect('text' in outcome ? outcome.text.split('\n').sort() : []).toEqual([
    'cached',
    'dear all',
    'inner',
    'letter.txt',
    'outer',
  ]);
});

/** What the application's own password is checked with ([MS-OFFCRYPTO] 2.3.7.1). */
const DEFAULT_VERIFIER = 0x9a0a;

test('encrypted with the default password, or with another one', async () => {
  const long = Array.from({ length: 200 }, (_, row) => label(row, `row ${row}`));
  const stream = workbook([sheetName('Payroll')], long);
  const plain = await readStream(stream);
  expect(plain).toMatchObject({ state: 'available', text: expect.stringContaining('Payroll\nrow 0\nrow 1') });
  expect(await readStream(encryptedRc4(stream, 'VelvetSweatshop'))).toEqual(plain);
  expect(await readStream(obfuscated(stream, DEFAULT_VERIFIER))).toEqual(plain);
  const sealed = { state: 'unsupported', format: 'xls', reason: 'encrypted' };
  expect(await readStream(encryptedRc4(stream, 'another'))).toEqual(sealed);
  expect(await readStream(obfuscated(stream, 0x1111))).toEqual(sealed);
  expect(await readStream(stream, { '\tDRMContent': Buffer.from('x') })).toEqual(sealed);
});

test('a stream that breaks off is damaged, an empty one has failed, a long one is cut', async () => {
  const stream = workbook([], [label(0, 'kept'), label(1, 'lost')]);
  expect(await readStream(stream.subarray(0, -8))).toMatchObject({ state: 'partial', reason: 'damaged' });
  expect(await readStream(Buffer.alloc(0))).toMatchObject({ state: 'failed', reason: 'corrupt' });
  const bytes = compoundFile({ Workbook: stream });
  expect(await read(bytes, { maxCharacters: 3 })).toMatchObject({ text: 'kep', reason: 'output_bound' });
});
