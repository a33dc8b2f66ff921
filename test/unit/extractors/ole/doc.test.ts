import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { cpuMs } from '../../../support/cpu-time.ts';
import { compoundFile } from '../../../support/documents/compound-file.ts';
import { docFile, docStreams, stringTable, word6File, word6Stream } from '../../../support/documents/doc.ts';
import { artRecord, shapeProperties, words } from '../../../support/documents/office-art.ts';
import { propertyStream } from '../../../support/documents/ole-properties.ts';
import { docxWithBody, paragraph, zip } from '../../../support/documents/packages.ts';
import { short, word } from '../../../support/documents/words.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const read = (bytes: Uint8Array) =>
  extract({ name: 'letter.doc', mimeType: null, bytes }, DEFAULT_EXTRACTION.bounds);

const available = (text: string) => ({ state: 'available', format: 'doc', text, reason: null });

test('pieces are read in their order, whatever their encoding', async () => {
  const pieces = [
    { text: 'Caf\u00e9 costs 5 \u20ac. ' },
    { text: 'Na\u00efve text of one byte each.\r', compressed: true },
    { text: 'Добрый день\r' },
  ];
  expect(await read(docFile({ pieces }))).toEqual(
    available('Café costs 5 €. Naïve text of one byte each.\nДобрый день'),
  );
});

test('every story is read, each on lines of its own', async () => {
  const stories = [
    'Body.\r',
    'Footnote.\r',
    'Header.\r',
    '',
    'Comment.\r',
    'Endnote.\r',
    'Box.\r',
    'Head box.\r',
  ];
  const file = docFile({
    pieces: [{ text: stories.join('') }],
    stories: stories.map(({ length }) => length),
  });
  expect(await read(file)).toEqual(available(stories.filter(Boolean).join('').trim().replaceAll('\r', '\n')));
});

test('marks of structure part words, others vanish', async () => {
  const text = 'a\x07b\x07\x07c\x0bd\x0ce\x0ef\x1eg\x1fh\x01\x02\x05\x08\r';
  expect(await read(docFile({ pieces: [{ text }] }))).toEqual(available('a\tb\nc\nd\ne\nf-gh'));
});

test('results of fields are text; of instructions only where they lead', async () => {
  const text =
    'See \x13 HYPERLINK "https://example.org/a" \x14our \x13 PAGE \x14page\x15\x15 on \x13 DATE \\@ "d" \x14Monday\x15\x13 XE "idx" \x15.\r';
  expect(await read(docFile({ pieces: [{ text }] }))).toEqual(
    available('See our page on Monday.\nHYPERLINK "https://example.org/a"'),
  );
});

test('fields of a form: texts to begin with, hints, what can be chosen', async () => {
  const ended = (text: string) => Buffer.concat([short(text.length), Buffer.from(text, 'utf16le'), short(0)]);
  const field = (kind: number, texts: Uint8Array[]) => {
    const body = Buffer.concat([Buffer.alloc(4, 0xff), short(kind), short(0), short(20), ...texts]);
    return Buffer.concat([word(68 + body.length), short(68), Buffer.alloc(62), body]);
  };
  const hints = ['', 'Help', 'Status', 'Macro', ''].map(ended);
  const fields = Buffer.concat([
    field(0, [ended('Text1'), ended('Your name'), ...hints]),
    field(1, [ended('Check1'), short(1), ...hints]),
    field(2, [ended('Drop1'), short(0), ...hints, stringTable('Yes', 'Unknown')]),
  ]);
  const file = docFile({ pieces: [{ text: 'Body\r' }] }, { Data: fields });
  expect(await read(file)).toEqual(
    available('Body\nYour name\nHelp\nStatus\nHelp\nStatus\nHelp\nStatus\nYes\nUnknown'),
  );
});

test('a field that is left open hides nothing', async () => {
  const file = docFile({ pieces: [{ text: 'Body \x13REF x\rFootnote\r' }], stories: [12, 9] });
  expect(await read(file)).toEqual(available('Body REF x \nFootnote'));
  const long = 'words '.repeat(5_000);
  expect(await read(docFile({ pieces: [{ text: `\x13${long}end` }] }))).toEqual(available(`${long}end`));
});

test('names of people and alternative texts are read', async () => {
  const art = artRecord(0xf002, [
    shapeProperties({ 897: words('A map of the vault'), 896: words('Shape 1') }),
  ]);
  const owners = Buffer.concat([Buffer.from([3, 0]), Buffer.from('Ann', 'utf16le')]);
  const file = docFile({
    pieces: [{ text: 'x\r' }],
    tables: {
      36: owners,
      50: Buffer.concat([artRecord(0xf000, []), Buffer.from([0]), art]),
      51: stringTable('Unknown', 'Bob'),
      71: stringTable('Carol', 'C:\\secret\\plan.doc'),
    },
  });
  expect(await read(file)).toEqual(available('x\nA map of the vault\nAnn\nBob\nCarol\nC:\\secret\\plan.doc'));
});

test('alternative texts of pictures in the line, and SmartArt, are read', async () => {
  const diagram = zip({
    'drs/diagrams/data1.xml': '<dgm:pt><a:t>Step one</a:t></dgm:pt>',
    'drs/shapexml.xml': '<a:t>again</a:t>',
  });
  const shape = artRecord(0xf004, [shapeProperties({ 897: words('A chart'), 937: diagram })]);
  const head = Buffer.alloc(68);
  head.writeUInt32LE(68 + shape.length, 0);
  head.writeUInt16LE(68, 4);
  head.writeUInt16LE(0x64, 6);
  const file = docFile(
    { pieces: [{ text: 'x\r' }] },
    { Data: Buffer.concat([Buffer.alloc(10), head, shape]) },
  );
  expect(await read(file)).toEqual(available('x\nA chart\nStep one'));
});

test('built-in and custom properties are read, counts and flags are not', async () => {
  const file = docFile(
    { pieces: [{ text: 'x\r' }] },
    {
      '\x05SummaryInformation': propertyStream({
        2: 'Plan',
        4: 'Ann',
        7: 'Normal.dot',
        12: new Date('2004-05-06T07:08:09Z'),
        14: 7,
      }),
      '\x05DocumentSummaryInformation': propertyStream(
        { 15: 'Acme', 5: 12 },
        { Client: 'Bob', Case: 42, _PID_GUID: 'x' },
      ),
    },
  );
  expect(await read(file)).toEqual({
    ...available('x\nPlan\nAnn\n2004-05-06T07:08:09.000Z\nAcme\nClient\nBob\nCase\n42\nx'),
    title: 'Plan',
  });
});

test('objects are read: documents, and files in packages', async () => {
  const { document, table } = docStreams({ pieces: [{ text: 'Inner document\r' }] });
  const packed = Buffer.from('Packed text');
  const native = Buffer.concat([
    Buffer.from([0, 0, 0, 0, 2, 0]),
    Buffer.from('notes.txt\0C:\\notes.txt\0\0\0\x03\0'),
    Buffer.from([2, 0, 0, 0]),
    Buffer.from('t\0'),
    Buffer.from([packed.length, 0, 0, 0]),
    packed,
  ]);
  const file = docFile(
    { pieces: [{ text: 'Outer\r' }] },
    {
      'ObjectPool/_1/WordDocument': document,
      'ObjectPool/_1/1Table': table,
      'ObjectPool/_2/Package': docxWithBody(paragraph('Newer document')),
      'ObjectPool/_3/\x01Ole10Native': native,
      'ObjectPool/_4/Equation Native': 'x',
    },
  );
  const outcome = await read(file);
  const text = 'text' in outcome ? outcome.text.split('\n').filter((line) => line !== '') : [];
  expect(text.toSorted()).toEqual(['Inner document', 'Newer document', 'Outer', 'Packed text', 'notes.txt']);
  expect(outcome).toMatchObject({ contains: [expect.any(String), expect.any(String), expect.any(String)] });
});

test('before Word 97 text is in the code page of its language or of its fonts', async () => {
  const russian = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x0d]);
  expect(await read(word6File(russian, { language: 0x419 }))).toEqual(available('Привет'));
  const fonts = Buffer.from([18, 0, 7, 4, 0x90, 1, 0, 0, 65, 0, 0, 7, 4, 0x90, 1, 204, 0, 66, 0]);
  fonts.writeUInt8(7, 2);
  expect(await read(word6File(russian, { fonts }))).toEqual(available('Привет'));
  expect(await read(word6File(Buffer.from('caf\xe9\r', 'latin1')))).toEqual(available('café'));
});

test('Word 2 had no container; a text that begins with its two letters is a text', async () => {
  const file = new Uint8Array(word6Stream(Buffer.from('caf\xe9\r', 'latin1'), { signature: 0xa5db }));
  expect(await read(file)).toEqual(available('café'));
  const text = new Uint8Array(Buffer.from(`\xdb\xa5 text ${'and more '.repeat(100)}`, 'latin1'));
  expect(await read(text)).toMatchObject({ state: 'available', format: 'text' });
});

test.for<[string, Uint8Array]>([
  ['obfuscated', docFile({ pieces: [{ text: 'x' }], flags: 0x8100 })],
  ['under rights management', docFile({ pieces: [{ text: 'x' }] }, { '\tDRMContent': 'x' })],
])('a document that is %s is encrypted', async ([, bytes]) => {
  expect(await read(bytes)).toEqual({ state: 'unsupported', format: 'doc', reason: 'encrypted' });
});

test('a stream that is no document fails; one without tables keeps its plain text', async () => {
  expect(await read(compoundFile({ WordDocument: 'nothing' }))).toMatchObject({
    state: 'failed',
    reason: 'corrupt',
  });
  const { document } = docStreams({ pieces: [{ text: 'Still here\r', compressed: true }] });
  expect(await read(compoundFile({ WordDocument: document }))).toMatchObject({
    state: 'partial',
    reason: 'damaged',
    text: 'Still here',
  });
});

test('pieces that share their bytes are not read for ever', async () => {
  const { document, table } = docStreams({ pieces: Array.from({ length: 2_000 }, () => ({ text: 'x' })) });
  const end = 5 + 2_001 * 4;
  for (let index = 0; index < 2_000; index++) {
    table.writeUInt32LE((index + 1) * 100_000, 5 + (index + 1) * 4);
    table.writeUInt32LE(0x400, end + index * 8 + 2);
  }
  const large = Buffer.concat([document, Buffer.alloc(300_000)]);
  large.writeUInt32LE(200_000_000, 76);
  const before = cpuMs();
  expect(await read(compoundFile({ WordDocument: large, '1Table': table }))).toMatchObject({
    reason: 'damaged',
  });
  expect(cpuMs() - before).toBeLessThan(2_000);
});

test('whatever happens to its bytes, a document ends in an outcome', async () => {
  const valid = docFile(
    {
      pieces: [
        { text: 'Hello \x13 HYPERLINK "x" \x14there\x15\r'.repeat(20) },
        { text: 'y\r', compressed: true },
      ],
      tables: { 51: stringTable('Bob') },
    },
    { '\x05SummaryInformation': propertyStream({ 2: 'Plan' }), 'ObjectPool/_1/Package': 'text' },
  );
  const flips = fc.array(fc.record({ at: fc.nat(valid.length - 1), value: fc.nat(255) }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(flips, fc.option(fc.nat(valid.length)), async (changes, length) => {
      const bytes = new Uint8Array(valid);
      for (const { at, value } of changes) bytes[at] = value;
      const before = cpuMs();
      const { state } = await read(bytes.subarray(0, length ?? valid.length));
      expect(['available', 'partial', 'unsupported', 'failed']).toContain(state);
      expect(cpuMs() - before).toBeLessThan(2_000);
    }),
    { numRuns: propertyRuns(300) },
  );
});
