import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { cpuMs } from '../../../support/cpu-time.ts';
import {
  cell,
  decimal,
  doubleField,
  iwa,
  iworkDocument,
  message,
  object,
  oldCell,
  reference,
  row,
  snapped,
  storage,
  stored,
  table,
} from '../../../support/documents/iwork.ts';
import { pdfOf, pdfText } from '../../../support/documents/pdf.ts';
import { double, word } from '../../../support/documents/words.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'file', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

const available = (text: string) => ({ state: 'available', format: 'iwork', text, reason: null });

const pages = (fields: Parameters<typeof message>[0]) => object(1, 10_000, message(fields));
const at = (id: number) => message({ 1: message({ 1: 0, 2: reference(id) }) });

test('a text with its footnotes, comments, links, headers, boxes in their order', async () => {
  const body = storage(10, 'First\ufffc line\u000e\nSecond\u2028line\u0005', {
    9: at(20),
    11: at(30),
    16: at(40),
    17: at(50),
    23: at(60),
  });
  const bytes = iworkDocument([
    pages({ 4: reference(10), 6: reference(90) }),
    body,
    object(20, 2003, message({ 1: reference(21) })),
    object(
      21,
      2011,
      message({ 1: message({ 1: message({ 4: 'https://box.org', 8: 'what it shows' }) }), 4: reference(22) }),
    ),
    storage(22, 'In a box'),
    object(30, 2032, message({ 2: 'https://e.org' })),
    object(40, 2008, message({ 2: reference(41) })),
    storage(41, '\u000e A footnote'),
    object(50, 10_011, message({ 23: reference(51) })),
    object(51, 10_143, message({ 1: reference(52), 2: reference(53) })),
    storage(52, 'Header'),
    storage(53, 'Footer'),
    object(60, 2013, message({ 1: reference(61) })),
    object(61, 3056, message({ 1: 'A comment', 3: reference(62) })),
    object(62, 212, message({ 1: 'Ann' })),
    object(90, 10_001, message({ 1: reference(91) })),
    storage(91, 'What a theme proposes'),
  ]);
  const lines = [
    'First line',
    'Second',
    'line',
    'https://box.org',
    'what it shows',
    'In a box',
    'https://e.org',
    'A footnote',
    'Header',
    'Footer',
    'A comment',
    'Ann',
  ];
  expect(await read(bytes)).toEqual(available(lines.join('\n')));
});

const sheet = (id: number, name: string, ...drawables: number[]) =>
  object(id, 2, message({ 1: name, 2: drawables.map(reference) }));
const numbers = (...sheets: number[]) => object(1, 1, message({ 1: sheets.map(reference), 8: 'x' }));

test('a workbook: sheets, tables, cells of every kind, texts with a look, comments', async () => {
  const rows = [
    row(1, [
      cell(2, 0x1, decimal(4_111_111_111_111_111n, 0)),
      null,
      cell(2, 0x1, decimal(12_345n, -2, true)),
      cell(10, 0x1, decimal(5n, 3)),
    ]),
    row(0, [null, cell(3, 0x8, word(7)), cell(9, 0x10, word(3)), cell(0, 0x20, word(1))]),
    row(2, [
      cell(5, 0x4, double(86_400 * 31 + 5_400)),
      cell(6, 0x2, double(1)),
      cell(7, 0x2, double(129_900)),
      cell(8, 0x800, word(1)),
    ]),
  ];
  const bytes = iworkDocument([
    numbers(10, 11),
    sheet(10, 'Payroll', 20),
    sheet(11, 'Empty'),
    ...table(20, 'People', rows, {
      strings: [{ 1: 7, 3: 'Name' }],
      rich: [{ 1: 3, 9: reference(30) }],
      comments: [{ 1: 1, 10: reference(40) }],
    }),
    object(30, 6218, message({ 1: reference(31) })),
    storage(31, 'two\nlines', { 11: at(32) }),
    object(32, 2032, message({ 2: 'https://e.org' })),
    object(40, 3056, message({ 1: 'Is that so?' })),
  ]);
  const lines = [
    'Payroll',
    'what People is',
    'People',
    'Name\ttwo lines',
    '4111111111111111\t-123.45\t5000',
    '2001-02-01 01:30\tTRUE\t36:05:00',
    'Is that so?',
    'https://e.org',
    'Empty',
  ];
  expect(await read(bytes)).toEqual(available(lines.join('\n')));
});

test('cells as they were stored until 2016', async () => {
  const rows = [
    row(
      0,
      [
        oldCell(3, 0x12, word(1), word(7)),
        oldCell(2, 0x24, word(1), double(0.1 + 0.2)),
        oldCell(5, 0x40, double(0)),
        oldCell(9, 0x1280, word(1), word(3), word(9)),
      ],
      3,
    ),
  ];
  const bytes = iworkDocument([
    numbers(10),
    sheet(10, 'Sheet', 20),
    ...table(20, 'T', rows, { strings: [{ 1: 7, 3: 'Name' }], rich: [{ 1: 3, 9: reference(30) }] }),
    object(30, 6218, message({ 1: reference(31) })),
    storage(31, 'rich'),
  ]);
  expect(await read(bytes)).toMatchObject({ text: 'Sheet\nwhat T is\nT\nName\t0.3\t2001-01-01\trich' });
});

test('a long list of strings lies in segments', async () => {
  const [info, model, tile, , ...rest] = table(20, 'T', [row(0, [cell(3, 0x8, word(7))])]);
  const bytes = iworkDocument([
    numbers(10),
    sheet(10, 'Sheet', 20),
    ...[info, model, tile, ...rest].filter((one) => one !== undefined),
    object(23, 6005, message({ 1: 1, 4: reference(40) })),
    object(40, 6011, message({ 3: message({ 1: 7, 3: 'from a segment' }) })),
  ]);
  expect(await read(bytes)).toMatchObject({ text: expect.stringMatching(/from a segment$/) });
});

const placeholder = (id: number, text: number) =>
  object(id, 7, message({ 1: message({ 1: message({ 1: message({ 8: '' }) }), 4: reference(text) }) }));

test('slides with their notes; of a master what it adds, not what it asks for', async () => {
  const bytes = iworkDocument([
    object(1, 1, message({ 2: reference(2) })),
    object(2, 2, message({ 1: reference(3), 3: message({ 2: [reference(4), reference(5)] }) })),
    object(3, 3, message({ 1: reference(30) })),
    object(4, 4, message({ 2: reference(10) })),
    object(5, 4, message({ 2: reference(30) })),
    object(10, 5, message({ 5: reference(11), 17: reference(20), 27: reference(13) })),
    placeholder(11, 12),
    storage(12, 'The title'),
    object(13, 15, message({ 1: reference(14) })),
    storage(14, 'What I say'),
    object(20, 5, message({ 5: reference(21), 7: [reference(21), reference(23)] })),
    placeholder(21, 22),
    storage(22, 'Double-click to edit'),
    object(23, 2011, message({ 1: message({ 1: message({ 8: '' }) }), 4: reference(24) })),
    storage(24, 'Confidential'),
    object(30, 5, message({ 5: reference(31), 17: reference(20) })),
    placeholder(31, 32),
    storage(32, 'The second slide'),
  ]);
  expect(await read(bytes)).toEqual(available('The title\nConfidential\nWhat I say\nThe second slide'));
});

test('a chart: its data, and titles that are shown', async () => {
  const value = (field: number, number: number) => message({ 1: doubleField(field, number) });
  const grid = message({ 1: ['Ann', 'Bob'], 2: ['2024', '2025'], 3: [value(1, 1.5), value(4, 0)] });
  const title = (id: number, type: number, fields: Parameters<typeof message>[0]) =>
    object(id, type, message({ 10000: message(fields) }));
  const bytes = iworkDocument([
    pages({ 4: reference(10) }),
    object(
      10,
      5021,
      message({ 1: message({ 8: '' }), 10000: message({ 7: grid, 10: [11, 12, 13].map(reference) }) }),
    ),
    title(11, 5023, { 21: 1, 23: 'Sales' }),
    title(12, 5023, { 21: 0, 23: 'No title' }),
    title(13, 5027, { 14: 1, 16: 'Euros', 15: 'not shown' }),
  ]);
  expect(await read(bytes)).toEqual(available('2024\t2025\nAnn\t1.5\nBob\t2001-01-01\nSales\nEuros'));
});

const text = [pages({ 4: reference(10) }), storage(10, 'Some text')];

test('a package that is a folder, with its index in an archive, in an archive', async () => {
  const index = stored({ 'Index/Document.iwa': iwa(...text) });
  const members = {
    'My.pages/Index.zip': index,
    'My.pages/Metadata/BuildVersionHistory.plist': '<plist/>',
    '__MACOSX/My.pages/._Index.zip': 'x',
  };
  expect(await read(stored(members))).toEqual(available('Some text'));
  expect(await read(stored({ ...members, 'read me.txt': 'And this' }))).toMatchObject({
    format: 'zip',
    text: expect.stringContaining('And this'),
  });
});

test('a PDF that was put on a page is read by its own format', async () => {
  const placed = { 'Data/Plan-7.pdf': pdfOf([pdfText('In the picture')]), 'Data/x.jpg': 'no' };
  expect(await read(iworkDocument(text, placed))).toMatchObject({
    state: 'available',
    text: expect.stringMatching(/^Some text\nplan-7\.pdf\nIn the picture/),
  });
});

test('what is on a page is read where the index is damaged too', async () => {
  const placed = { 'a.pdf': pdfOf([pdfText('one')]), 'b.pdf': pdfOf([pdfText('two')]) };
  const whole = iwa(...text);
  const bytes = stored({ 'Index/Document.iwa': whole.subarray(0, whole.length - 2), ...placed });
  expect(await read(bytes)).toMatchObject({
    state: 'partial',
    reason: 'damaged',
    text: expect.stringMatching(/^Some te\na\.pdf\none[\s\S]*b\.pdf\ntwo/),
  });
});

test('a document with a password is encrypted', async () => {
  const encrypted = { state: 'unsupported', format: 'iwork', reason: 'encrypted' };
  expect(await read(iworkDocument(text, { '.iwpv2': 'x', '.iwph': 'hint' }))).toEqual(encrypted);
});

test('without a readable index the preview is read, and the outcome is partial', async () => {
  const preview = { 'QuickLook/Preview.pdf': pdfOf([pdfText('Of the preview')]) };
  const broken = stored({ 'Index/Document.iwa': 'no such thing', ...preview });
  expect(await read(broken)).toMatchObject({
    state: 'partial',
    reason: 'damaged',
    text: expect.stringMatching(/^preview\.pdf\nOf the preview/),
  });
  expect(await read(stored({ 'Index/Document.iwa': 'x', 'QuickLook/Preview.pdf': '%PDF-' }))).toEqual({
    state: 'failed',
    format: 'iwork',
    reason: 'corrupt',
  });
  expect(await read(iworkDocument(text, preview))).toEqual(available('Some text'));
});

test('where the file breaks off, what came before is kept, with what nothing leads to', async () => {
  const whole = iwa(
    storage(10, `Kept. ${'Also kept. '.repeat(50)}`),
    storage(11, Array.from({ length: 400 }, (_, at) => `word${at}`).join(' ')),
  );
  const bytes = stored({ 'Index/Document.iwa': whole.subarray(0, whole.length - 300) });
  expect(await read(bytes)).toMatchObject({
    state: 'partial',
    reason: 'damaged',
    text: expect.stringMatching(/^Kept\. Also kept\.[\s\S]*word0 word1/),
  });
});

test('a broken row costs itself', async () => {
  const good = (key: number) => [cell(3, 0x8, word(key))];
  const rows = [row(0, good(1)), row(1, [cell(3, 0x8)]), row(2, good(2))];
  const strings = [
    { 1: 1, 3: 'one' },
    { 1: 2, 3: 'two' },
  ];
  const bytes = iworkDocument([numbers(10), sheet(10, 'S', 20), ...table(20, 'T', rows, { strings })]);
  expect(await read(bytes)).toMatchObject({
    state: 'partial',
    reason: 'damaged',
    text: expect.stringMatching(/T\none\ntwo$/),
  });
});

test('what Snappy inflates to counts, and output stops at its bound', async () => {
  const block = snapped(Buffer.alloc(60_000, 'x'));
  const chunk = Buffer.concat([Buffer.from([0, block.length & 0xff, block.length >> 8, 0]), block]);
  const bomb = iworkDocument(text, { 'Index/Slide.iwa': Buffer.concat(Array<Buffer>(40).fill(chunk)) });
  expect(await read(bomb, { maxInflatedBytes: 1_000_000 })).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
    text: 'Some text',
  });
  const long = iworkDocument([pages({ 4: reference(10) }), storage(10, 'word '.repeat(1_000))]);
  expect(await read(long, { maxCharacters: 50 })).toMatchObject({ state: 'partial', reason: 'output_bound' });
});

test('objects that lead to each other in a circle are read once', async () => {
  const bytes = iworkDocument([
    pages({ 4: reference(10) }),
    storage(10, 'one', { 9: at(11) }),
    storage(11, 'two', { 9: at(10) }),
  ]);
  expect(await read(bytes)).toEqual(available('one\ntwo'));
});

test('an object that claims a length below zero ends the file', async () => {
  const header = Buffer.concat([
    message({ 1: 7 }),
    Buffer.from([18, 11]),
    message({ 1: 1 }),
    doubleField(3, -16),
  ]);
  const endless = Buffer.concat([Buffer.from([header.length]), header]);
  expect(endless.length).toBe(16);
  expect(await read(iworkDocument([storage(1, 'before'), endless]))).toMatchObject({
    state: 'partial',
    reason: 'damaged',
    text: 'before',
  });
});

test('tiles, lists and texts that many tables and cells share are read once', async () => {
  const shared = cell(9, 0x10, word(1));
  const rows = Array.from({ length: 100 }, (_, index) => row(index, Array(200).fill(shared)));
  const tables = Array.from({ length: 1_000 }, (_, index) => {
    const tiles = Array.from({ length: 100 }, () => message({ 2: reference(20) }));
    const store = message({ 3: message({ 1: tiles }), 4: reference(21), 17: reference(22) });
    return object(100 + index, 6001, message({ 4: store, 8: 'T' }));
  });
  const strings = Array.from({ length: 10_000 }, (_, key) => message({ 1: key, 3: '' }));
  const bytes = iworkDocument([
    object(1, 10_000, message({ 1: tables.map((_, index) => message({ 1: 9, 2: reference(100 + index) })) })),
    ...tables,
    object(20, 6002, message({ 5: rows })),
    object(21, 6005, message({ 3: strings })),
    object(22, 6005, message({ 3: message({ 1: 1, 9: reference(30) }) })),
    object(30, 6218, message({ 1: reference(31) })),
    object(31, 2005, message({ 3: `words${'\u0001'.repeat(100_000)}` })),
  ]);
  const before = cpuMs();
  const { state, ...outcome } = await read(bytes);
  const taken = cpuMs() - before;
  expect(state).toBe('available');
  expect('text' in outcome && outcome.text.match(/words/g)).toHaveLength(20_000);
  expect(taken).toBeLessThan(5_000);
});
