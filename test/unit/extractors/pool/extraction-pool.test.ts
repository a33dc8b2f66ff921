import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { gzipSync } from 'fflate';
import { afterAll, expect, test } from 'vitest';
import {
  createExtractionPool,
  DEFAULT_EXTRACTION,
} from '../../../../core/extractors/pool/extraction-pool.ts';
import { ThreadFault } from '../../../../core/kernel/thread-fault.ts';
import { ownFrames } from '../../../../core/observability/own-frames.ts';
import { compoundFile } from '../../../support/documents/compound-file.ts';
import { emf, otherFormats, wideText } from '../../../support/documents/emf.ts';
import {
  iworkDocument,
  iworkXml,
  message,
  object,
  reference,
  storage,
} from '../../../support/documents/iwork.ts';
import {
  directoryRecords,
  docxWithBody,
  filled,
  largeZip,
  paragraph,
  pptx,
  shape,
  withDirectory,
  xlsx,
  zip,
} from '../../../support/documents/packages.ts';
import { pdfOf, pdfText } from '../../../support/documents/pdf.ts';
import { NIGHTLY, propertyRuns } from '../../../support/property-runs.ts';

/** Nightly, long enough for each bomb to be read to its bound. */
const BOMB_CPU_MS = NIGHTLY ? 25_000 : 5_000;
const pool = createExtractionPool({ ...DEFAULT_EXTRACTION, maxInputBytes: 1_000_000, cpuMs: BOMB_CPU_MS });
afterAll(() => pool.close());

const read = (bytes: Uint8Array, name = 'file') => pool.extract({ name, mimeType: null, bytes });

const TYPES = { '[Content_Types].xml': Buffer.from('<T/>') };
const VALID: [string, Uint8Array][] = [
  ['a.docx', docxWithBody(paragraph('hello').repeat(20))],
  ['a.xlsx', xlsx('<row><c t="str"><v>hello</v></c></row>'.repeat(20))],
  ['a.pptx', pptx({ 'ppt/slides/slide1.xml': shape('hello') })],
  ['a.pdf', pdfOf([pdfText('hello')])],
  ['a.eml', Buffer.from('From: a@example.org\nTo: b@example.org\nSubject: x\n\nhello\n')],
  ['a.html', Buffer.from('<html><body><p>hello</p></body></html>')],
  ['a.xml', Buffer.from('<?xml version="1.0"?><a b="c">hello</a>')],
  ['a.csv', Buffer.from('a,b\nhello,"x"\n')],
  ['a.json', Buffer.from('{"a":"hello"}')],
  ['a.txt', Buffer.from('hello')],
  ['a.odt', zip({ 'META-INF/manifest.xml': '<m/>', 'content.xml': '<a><text:p>hello</text:p></a>' })],
  ['a.epub', zip({ 'META-INF/container.xml': '<m/>', 'a.html': '<p>hello</p>' })],
  ['a.zip', zip({ 'a.docx': docxWithBody(paragraph('hello')), 'b.txt': 'hello' })],
  ['a.gz', gzipSync(Buffer.from('hello'))],
  ['a.doc', compoundFile({ Whatever: '' })],
  ['a.emf', emf(wideText('hello'), otherFormats(Buffer.from('hello')))],
  ['a.pages', iworkDocument([object(1, 10_000, message({ 4: reference(2) })), storage(2, 'hello')])],
  ['a.key', iworkXml('index.apxl', '<key:presentation><sf:p>hello</sf:p></key:presentation>')],
];

/** Every combination that the interface documents. */
const DOCUMENTED = [
  /^available null$/,
  /^partial (output_bound|member_bound|damaged|encrypted|ocr_off|unknown_format|unknown_encoding)$/,
  /^unsupported (unknown_format|encrypted|ocr_off)$/,
  /^failed (corrupt|size_bound|time_bound|memory_bound)$/,
];

async function expectDocumented(name: string, bytes: Uint8Array) {
  const { state, reason, format, ms } = await read(bytes, name);
  expect(DOCUMENTED.some((pattern) => pattern.test(`${state} ${reason}`))).toBe(true);
  expect(format).toMatch(/^[a-z0-9]{1,16}$/);
  expect(ms).toBeGreaterThanOrEqual(0);
}

test('bytes that the caller owns are handed over; a view of a shared buffer is copied', async () => {
  const owned = new Uint8Array(Buffer.from('hello world'));
  const whole = new Uint8Array(Buffer.from('.hello world.'));
  expect(await read(owned, 'a.txt')).toMatchObject({ text: 'hello world' });
  expect(await read(whole.subarray(1, 12), 'a.txt')).toMatchObject({ text: 'hello world' });
  expect([owned.length, whole.length]).toEqual([0, 13]);
});

test('the hashes of the files inside leave the worker with the outcome', async () => {
  const hash = createHash('sha256').update('inner').digest('hex');
  expect(await read(zip({ 'a.txt': 'inner' }))).toMatchObject({ state: 'available', contains: [hash] });
});

test('a file above the bound is not read', async () => {
  expect(await read(new Uint8Array(1_000_001))).toMatchObject({
    state: 'failed',
    reason: 'size_bound',
    ms: 0,
  });
});

test('a file that outlives its time ends with its format, and the next one is read', async () => {
  const quick = createExtractionPool({ ...DEFAULT_EXTRACTION, size: 1, cpuMs: 500 });
  const slow = largeZip({ ...TYPES, 'word/document.xml': filled('<w:document>', '<w:t/>', 150_000_000) });
  const [bad, good] = await Promise.all([
    quick.extract({ name: 'a', mimeType: null, bytes: slow }),
    quick.extract({ name: 'a.txt', mimeType: null, bytes: Buffer.from('next') }),
  ]);
  expect(bad).toMatchObject({ state: 'failed', format: 'docx', reason: 'time_bound' });
  expect(good).toMatchObject({ state: 'available', text: 'next' });
  expect(quick.stats()).toMatchObject({ replaced: 1, runs: 2 });
  await quick.close();
});

test('a bug of a reader is thrown as it was, and the next file is read', async () => {
  // No name does that; it stands for a bug of a reader.
  const name = { toString: null, valueOf: null } as never;
  const thrown = await read(Buffer.from('a text'), name).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ThreadFault);
  expect(thrown).toMatchObject({ name: 'TypeError' });
  expect(ownFrames(thrown)).toContainEqual(expect.stringMatching(/^core\/extractors\/.*\.ts:\d+$/));
  expect(await read(Buffer.from('a text'), 'a.txt')).toMatchObject({ state: 'available' });
});

test('arbitrary bytes under any name end in a documented state', async () => {
  const names = fc.constantFrom(...VALID.map(([name]) => name), 'a.mbox', 'a.md', 'a', '');
  await fc.assert(fc.asyncProperty(names, fc.uint8Array({ maxLength: 2_000 }), expectDocumented), {
    numRuns: propertyRuns(200),
  });
});

test('damaged files of every format end in a documented state', async () => {
  const edit = fc.record({ at: fc.nat(), value: fc.nat(255) });
  const damage = fc.record({
    file: fc.constantFrom(...VALID),
    edits: fc.array(edit, { maxLength: 12 }),
    keep: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ file: [name, valid], edits, keep }) => {
      const bytes = new Uint8Array(valid);
      for (const { at, value } of edits) bytes[at % bytes.length] = value;
      await expectDocumented(name, bytes.slice(0, keep % 3 === 0 ? keep % bytes.length : bytes.length));
    }),
    { numRuns: propertyRuns(300) },
  );
});

test.for(VALID)('%s cut in the middle ends in a documented state', async ([name, bytes]) => {
  await expectDocumented(name, bytes.slice(0, Math.floor(bytes.length / 2)));
});

/** From 200 kB to 500 kB. */
const BOMB_BYTES = 205_000_000;
const BOMBS: [string, () => Uint8Array][] = [
  [
    'empty paragraphs',
    () => largeZip({ ...TYPES, 'word/document.xml': filled('<w:document>', '<w:p></w:p>', BOMB_BYTES) }),
  ],
  [
    'one endless text',
    () => largeZip({ ...TYPES, 'word/document.xml': filled('<w:document><w:t>', ' ', BOMB_BYTES) }),
  ],
  [
    'endless depth',
    () => largeZip({ ...TYPES, 'word/document.xml': filled('<w:document>', '<a>', BOMB_BYTES) }),
  ],
  [
    'an endless cell',
    () => largeZip({ ...TYPES, 'xl/worksheets/sheet1.xml': filled('<w><c>', '<v>1</v>', 60_000_000) }),
  ],
  [
    'one endless page',
    () => {
      const content = deflateSync(filled('BT /F1 12 Tf ', '(a) Tj ', BOMB_BYTES), { level: 9 });
      return pdfOf([{ content, filter: 'FlateDecode' }]);
    },
  ],
  ['one endless file in an archive', () => largeZip({ 'a.txt': filled('', 'hello ', BOMB_BYTES) })],
];

test.for(NIGHTLY ? BOMBS : BOMBS.slice(1, 2))('a bomb of %s costs less than 100 MB', async ([, make]) => {
  const bytes = make();
  expect(bytes.length).toBeLessThan(500_000);
  await read(Buffer.from('warm'), 'a.txt');
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const { state, reason } = await read(bytes);
  clearInterval(watch);
  expect(`${state} ${reason}`).toMatch(
    /^failed (corrupt|size_bound|time_bound)$|^partial (member_bound|damaged|output_bound)$/,
  );
  expect((peak - before) / 1e6).toBeLessThan(100);
});

test('members that share bytes are refused', async () => {
  const archive = zip({
    ...TYPES,
    'word/document.xml': paragraph('one'),
    'word/header1.xml': paragraph('two'),
  });
  const [, second] = directoryRecords(archive);
  const offset = Buffer.from(archive).readUInt32LE((second ?? 0) + 42);
  const overlapping = withDirectory(archive, (data, record) => {
    if (record !== directoryRecords(archive)[0]) data.writeUInt32LE(offset, record + 42);
  });
  expect(await read(overlapping)).toMatchObject({ state: 'failed', format: 'docx', reason: 'corrupt' });
});

test('members past the bound are not read', async () => {
  const few = createExtractionPool({
    ...DEFAULT_EXTRACTION,
    size: 1,
    bounds: { ...DEFAULT_EXTRACTION.bounds, maxMembers: 100 },
  });
  const headers = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`word/header${at}.xml`, paragraph('x')]),
  );
  const many = zip({ ...TYPES, 'word/document.xml': paragraph('body'), ...headers });
  const outcome = await few.extract({ name: 'a', mimeType: null, bytes: many });
  expect(outcome).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
    text: expect.stringMatching(/^body\nx/),
  });
  await few.close();
});

test('entities declared in a part do not expand', async () => {
  const bomb = `<!DOCTYPE d [<!ENTITY a "${'ha'.repeat(50)}"><!ENTITY b "${'&a;'.repeat(50)}">]><w:document>${paragraph('&b;')}</w:document>`;
  const outcome = await read(zip({ ...TYPES, 'word/document.xml': bomb }));
  expect(outcome).toMatchObject({ state: 'partial', reason: 'damaged', text: '&b;' });
});
