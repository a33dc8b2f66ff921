import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { cpuMs } from '../../../support/cpu-time.ts';
import { compoundFile } from '../../../support/documents/compound-file.ts';
import * as iwork from '../../../support/documents/iwork.ts';
import {
  attachment,
  binary,
  compressedRtf,
  embedded,
  message,
  msg,
  unicode,
} from '../../../support/documents/msg.ts';
import { objectData, packedFile, rtfOf } from '../../../support/documents/rtf.ts';
import { short, word } from '../../../support/documents/words.ts';
import * as xls from '../../../support/documents/xls.ts';
import * as xlsb from '../../../support/documents/xlsb.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const packed = packedFile('a.txt', Buffer.from('inside'));

const workbook = xls.workbook(
  [
    xls.record(0x41e, short(164), xls.text('0.00"x"')),
    xls.record(0xe0, short(0), short(164), Buffer.alloc(16)),
    xls.sheetName('Sheet'),
    xls.record(0xfc, word(2), word(2), xls.text('one'), short(9), Buffer.from([1]), Buffer.from('t\0w\0')),
    xls.record(0x3c, Buffer.from([0]), Buffer.from('o, long')),
  ],
  [
    xls.sharedLabel(0, 1),
    xls.number(1, 1.5),
    xls.rk(2, 0x3ff00000),
    xls.record(0x1b6, Buffer.alloc(10), short(4), Buffer.alloc(6)),
    xls.record(0x3c, xls.characters('note')),
    xls.record(0x1b8, Buffer.alloc(24), word(2), word(0x17), word(3), Buffer.from('abc', 'utf16le')),
  ],
);

const pagesTable = iwork.table(
  20,
  'T',
  [iwork.row(0, [iwork.cell(3, 0x8, word(7)), iwork.cell(2, 0x1, iwork.decimal(15n, -1))])],
  { strings: [{ 1: 7, 3: 'text' }], rich: [{ 1: 3, 9: iwork.reference(30) }] },
);

const FILES: Readonly<Record<string, Uint8Array>> = {
  rtf: rtfOf(
    `{\\info{\\title T}}\\f1 \\'83\\'8b\\u8364?{\\object{\\*\\objdata ${objectData('Package', packed)}}}{\\shp{\\*\\shpinst{\\sp{\\sn wzName}{\\sv N}}}}\\bin3 abc`,
  ),
  xls: compoundFile({
    Workbook: workbook,
    'MBD1/\x01Ole10Native': Buffer.concat([word(packed.length), packed]),
  }),
  'encrypted xls': compoundFile({ Workbook: xls.encryptedRc4(workbook, 'VelvetSweatshop') }),
  'bare xls': workbook,
  xlsb: xlsb.xlsb({
    'xl/sharedStrings.bin': xlsb.record(19, xlsb.richText('shared')),
    'xl/styles.bin': xlsb.styles({ 164: '0.00' }),
    'xl/worksheets/sheet1.bin': Buffer.concat([
      xlsb.row,
      xlsb.sharedLabel(0),
      xlsb.number(2.5, 1),
      xlsb.rk(7),
    ]),
  }),
  iwork: iwork.iworkDocument([
    iwork.object(1, 10_000, iwork.message({ 4: iwork.reference(10) })),
    iwork.storage(10, 'some text, some text', {
      9: iwork.message({ 1: iwork.message({ 1: 0, 2: iwork.reference(20) }) }),
    }),
    ...pagesTable,
  ]),
  'old iwork': iwork.iworkXml(
    'index.xml',
    '<ls:document><sf:grid sf:numcols="2"><sf:datasource><sf:n sf:v="1"/><sf:t sf:ct="256"><sf:ct sfa:s="x"/></sf:t></sf:datasource></sf:grid></ls:document>',
  ),
  msg: msg(
    message([
      unicode(0x37, 'subject'),
      binary(0x1009, compressedRtf('{\\rtf1\\fromhtml1 {\\*\\htmltag <p>}body}')),
      attachment(0, embedded(message([unicode(0x37, 'inner')], {}, 24))),
      attachment(1, { ...unicode(0x3707, 'a.txt'), ...binary(0x3701, Buffer.from('attached')) }),
    ]),
  ),
};

/** So long a file of some kilobytes would take only if something in it made a reader run away. */
const MAX_MS = 2_000;

const endsSoon = async (bytes: Uint8Array) => {
  const started = cpuMs();
  const outcome = await extract({ name: 'file', mimeType: null, bytes }, DEFAULT_EXTRACTION.bounds);
  expect(['available', 'partial', 'unsupported', 'failed']).toContain(outcome.state);
  expect(cpuMs() - started).toBeLessThan(MAX_MS);
};

test.for(Object.entries(FILES))(
  '%s, cut anywhere or with any bytes changed, ends as an extraction',
  async ([, file]) => {
    await expect(
      extract({ name: 'file', mimeType: null, bytes: file }, DEFAULT_EXTRACTION.bounds),
    ).resolves.toMatchObject({ state: 'available' });
    const at = fc.nat(file.length - 1);
    await fc.assert(
      fc.asyncProperty(at, (end) => endsSoon(file.slice(0, end))),
      { numRuns: propertyRuns(60) },
    );
    const changes = fc.array(fc.tuple(at, fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(changes, (places) => {
        const changed = file.slice();
        for (const [place, byte] of places) changed[place] = byte;
        return endsSoon(changed);
      }),
      { numRuns: propertyRuns(200) },
    );
  },
);
