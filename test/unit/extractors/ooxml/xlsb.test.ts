import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { double, short, word } from '../../../support/documents/words.ts';
import {
  label,
  number,
  other,
  record,
  richText,
  rk,
  row,
  sharedLabel,
  styles,
  text,
  xlsb,
} from '../../../support/documents/xlsb.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'file', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });
const available = (text: string) => ({ state: 'available', format: 'xlsb', text, reason: null });

test('cells of every kind, by row, as they are shown', async () => {
  const phonetic = Buffer.concat([Buffer.from([2]), text('山本'), text('ヤマモト')]);
  const sheet = [
    row,
    label('Jane'),
    sharedLabel(0),
    sharedLabel(9),
    number(123456789, 1),
    rk((7 << 2) | 2),
    row,
    other(4, Buffer.from([1])),
    other(3, Buffer.from([0x2a])),
    other(
      8,
      Buffer.concat([
        text('result'),
        short(0),
        word(9),
        Buffer.from([0x17]),
        short(13),
        Buffer.from('https://e.org', 'utf16le'),
      ]),
    ),
    other(9, double(2.5)),
    other(10, Buffer.from([0])),
    other(11, Buffer.from([0x07])),
    other(62, richText('rich')),
  ];
  const parts = {
    'xl/worksheets/sheet1.bin': Buffer.concat(sheet),
    'xl/sharedStrings.bin': record(19, phonetic),
    'xl/styles.bin': styles({ 164: '000\\-00\\-0000' }),
  };
  expect(await read(xlsb(parts))).toEqual(
    available(
      'Payroll\nJane\t山本 ヤマモト\t123-45-6789\t7\nTRUE\t#N/A\tresult https://e.org\t2.5\tFALSE\t#DIV/0!\trich',
    ),
  );
});

test('other dates, names, comments, headers, links, hints, pivot rows, XML parts', async () => {
  const none = word(-1);
  const sheet = [
    record(479, short(0), text('&CSecret'), none, none, none, none, text('&Lfirst')),
    record(494, Buffer.alloc(16), none, text('Sheet2!A1'), text('tip'), text('shown')),
    record(64, word(0), word(1), Buffer.alloc(16), text('Error'), none, none, text('prompt')),
    row,
    number(29357, 1),
  ];
  const workbook = [
    record(153, word(1)),
    record(39, word(0), Buffer.alloc(5), text('Rate')),
    record(39, word(0x20), Buffer.alloc(5), text('_xlnm.Print_Area')),
  ];
  const parts = {
    'xl/workbook.bin': Buffer.concat(workbook),
    'xl/styles.bin': styles({ 164: 'yyyy\\-mm\\-dd' }),
    'xl/worksheets/sheet1.bin': Buffer.concat(sheet),
    'xl/comments1.bin': Buffer.concat([record(632, text('Ann')), record(637, richText('remark'))]),
    'xl/drawings/drawing1.xml': '<xdr:wsDr><a:p><a:r><a:t>box</a:t></a:r></a:p></xdr:wsDr>',
    'xl/pivotCache/pivotCacheRecords1.bin': record(24, text('cached')),
    'docProps/core.xml': '<c><dc:title>The title</dc:title></c>',
  };
  const lines =
    'Rate|Secret|first|Sheet2!A1|tip|shown|Error|prompt|1984-05-17|Ann|remark|box|cached|The title';
  expect(await read(xlsb(parts))).toEqual({
    ...available(lines.replaceAll('|', '\n')),
    title: 'The title',
  });
});

test('records across the chunks in which a part is read, and one that is too long', async () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => [
    row,
    label(`row ${index} ${'x'.repeat(50)}`),
  ]).flat();
  const long = record(6, Buffer.alloc(1_500_000));
  const bytes = xlsb({ 'xl/worksheets/sheet1.bin': Buffer.concat([long, ...rows]) });
  const outcome = await read(bytes);
  expect(outcome).toMatchObject({ state: 'available', text: expect.stringContaining('row 4999 x') });
});

test('a part that breaks off is damaged, a long one is cut', async () => {
  const sheet = Buffer.concat([row, label('kept'), label('lost')]);
  const broken = xlsb({ 'xl/worksheets/sheet1.bin': sheet.subarray(0, -2) });
  expect(await read(broken)).toMatchObject({ state: 'partial', reason: 'damaged', text: 'Payroll\nkept' });
  const whole = xlsb({ 'xl/worksheets/sheet1.bin': sheet });
  expect(await read(whole, { maxCharacters: 9 })).toMatchObject({
    text: 'Payroll\nk',
    reason: 'output_bound',
  });
});
