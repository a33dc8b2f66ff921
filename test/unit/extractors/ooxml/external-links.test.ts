import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { compoundFile } from '../../../support/documents/compound-file.ts';
import { docxWithBody, xlsx, zip } from '../../../support/documents/packages.ts';
import { double, short, word } from '../../../support/documents/words.ts';
import { characters, label, record, shortText, text, workbook } from '../../../support/documents/xls.ts';
import * as binary from '../../../support/documents/xlsb.ts';

const textOf = async (bytes: Uint8Array) => {
  const outcome = await extract({ name: 'file', mimeType: null, bytes }, DEFAULT_EXTRACTION.bounds);
  return 'text' in outcome ? outcome.text : outcome;
};

const linesOf = (...lines: string[]) => lines.join('\n');

test('XLSX: whom it asks by DDE and for what, with the values of others', async () => {
  const parts = {
    'xl/externalLinks/externalLink1.xml':
      '<externalLink><ddeLink ddeService="cmd" ddeTopic="/c calc"><ddeItems><ddeItem name="A0"><values><value t="str"><val>last</val></value></values></ddeItem></ddeItems></ddeLink></externalLink>',
    'xl/externalLinks/externalLink2.xml':
      '<externalLink><externalBook><sheetNames><sheetName val="S"/></sheetNames><sheetDataSet><sheetData><row><cell><v>12</v></cell><cell><v>Ann</v></cell></row></sheetData></sheetDataSet></externalBook></externalLink>',
    'xl/externalLinks/externalLink3.xml': '<externalLink><oleLink progId="Word.Document.8"/></externalLink>',
    'xl/externalLinks/_rels/externalLink2.xml.rels':
      '<Relationships><Relationship Target="file:///C:/pay.xlsx" TargetMode="External"/></Relationships>',
  };
  expect(await textOf(xlsx('<row><c t="str"><v>cell</v></c></row>', parts))).toBe(
    linesOf(
      'Payroll',
      'cell',
      'cmd|/c calc',
      'cmd|/c calc!A0',
      'last',
      '12\tAnn',
      'Word.Document.8',
      'file:///C:/pay.xlsx',
    ),
  );
});

const book = (path: string, sheets = 0) => record(0x1ae, short(sheets), short(path.length), characters(path));
const item = (name: string) => record(0x23, short(0), word(0), shortText(name));

test('XLS: other workbooks by their paths, DDE, and the values of others', async () => {
  const globals = [
    record(0x1ae, short(1), short(0x0401)),
    book('\x01\x01CPay\x03staff.xls', 1),
    item('of the other'),
    record(
      0x5a,
      Buffer.from([3, 0]),
      short(0),
      Buffer.from([1]),
      double(12.5),
      Buffer.from([2]),
      text('Ann'),
      Buffer.from([0]),
      Buffer.alloc(8),
      Buffer.from([2]),
      text('Bob'),
    ),
    book('\x01\x01@server\x03share\x03a.xls'),
    book('\x01\x04up\x03b.xls'),
    book('\x01\x05\x10https://e.org/c.xls'),
    book('plain.xls'),
    book('cmd\x03/c calc'),
    item('A0'),
    record(0x17, short(1), Buffer.alloc(6)),
  ];
  const found = linesOf(
    'C:\\Pay\\staff.xls',
    '12.5\tAnn\tBob',
    '\\\\server\\share\\a.xls',
    '..\\up\\b.xls',
    'https://e.org/c.xls',
    'plain.xls',
    'cmd|/c calc',
    'cmd|/c calc!A0',
    'cell',
  );
  expect(await textOf(compoundFile({ Workbook: workbook(globals, [label(0, 'cell')]) }))).toBe(found);
});

test('XLS of version 5: the same, in records of its own', async () => {
  const bytes = (value: string) => Buffer.from(value, 'latin1');
  const counted = (value: string) => Buffer.concat([Buffer.from([value.length]), bytes(value)]);
  const stream = Buffer.concat([
    record(0x809, short(0x500), short(5), Buffer.alloc(4)),
    record(0x17, counted('\x01\x01CPay\x03staff.xls')),
    record(0x17, Buffer.from([6]), bytes('\x03Sheet1')),
    record(0x17, counted('cmd\x03/c calc')),
    record(0x23, short(0), word(0), counted('A0')),
    record(0x0a),
  ]);
  expect(await textOf(compoundFile({ Book: stream }))).toBe(
    linesOf('C:\\Pay\\staff.xls', 'cmd|/c calc', 'cmd|/c calc!A0'),
  );
});

test('XLSB: whom it asks by DDE and for what, with the values of others', async () => {
  const { record: part, text: wide } = binary;
  const parts = {
    'xl/externalLinks/externalLink1.bin': Buffer.concat([
      part(360, short(1), wide('cmd'), wide('/c calc')),
      part(577, wide('A0')),
      part(582, wide('last')),
    ]),
    'xl/externalLinks/externalLink2.bin': Buffer.concat([
      part(360, short(0), wide('rId1'), word(-1)),
      part(577, wide('of the other')),
      part(368, word(0), double(12.5)),
      part(371, word(1), wide('Ann')),
    ]),
  };
  expect(await textOf(binary.xlsb(parts))).toBe(
    linesOf('Payroll', 'cmd|/c calc', 'cmd|/c calc!A0', 'last', '12.5\tAnn'),
  );
});

test('OpenDocument and Word: links by DDE', async () => {
  const odf = {
    'META-INF/manifest.xml': '<m/>',
    'content.xml':
      '<c><text:section><office:dde-source office:dde-application="soffice" office:dde-topic="/a.odt" office:dde-item="part"/><text:p>body</text:p></text:section><text:dde-connection-decls><text:dde-connection-decl office:name="x" office:dde-application="excel" office:dde-topic="b.xls" office:dde-item="R1C1"/></text:dde-connection-decls></c>',
  };
  expect(await textOf(zip(odf))).toBe(linesOf('soffice|/a.odt!part', 'body', 'excel|b.xls!R1C1'));
  const field =
    '<w:p><w:r><w:fldChar/></w:r><w:r><w:instrText>DDEAUTO cmd "/c calc" A0</w:instrText></w:r><w:r><w:fldChar/></w:r><w:r><w:t>shown</w:t></w:r></w:p>';
  expect(await textOf(docxWithBody(field))).toBe(linesOf('DDEAUTO cmd "/c calc" A0', 'shown'));
});
