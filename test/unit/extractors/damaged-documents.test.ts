import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openZip } from '../../../core/extractors/archive/zip.ts';
import { BoundedText } from '../../../core/extractors/bounded-text.ts';
import { byLibrary, byLibrarySync, Damaged, eachByLibrary } from '../../../core/extractors/damage.ts';
import { extract } from '../../../core/extractors/extract.ts';
import { docx } from '../../../core/extractors/ooxml/docx.ts';
import { DEFAULT_EXTRACTION } from '../../../core/extractors/pool/extraction-pool.ts';
import { plainText } from '../../../core/extractors/text/text.ts';
import { heading, paragraph, table } from '../../../infra/local/fixture/business-document.ts';
import { FORMATS } from '../../../infra/local/fixture/formats/format.ts';
import { agilePackage } from '../../support/documents/office-encryption.ts';
import { docxWithBody, paragraph as wordParagraph, zip } from '../../support/documents/packages.ts';
import { pdfOf, pdfText } from '../../support/documents/pdf.ts';
import { drawn, pngOf, tiffOf } from '../../support/documents/picture.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const { bounds } = DEFAULT_EXTRACTION;
const read = (name: string, bytes: Uint8Array) => extract({ name, mimeType: null, bytes }, bounds);

const DOCUMENT = {
  title: 'Salaries 2025',
  author: 'Jane Doe',
  date: '2025-03-01',
  blocks: [
    heading('Salaries'),
    paragraph('The account DE89370400440532013000 pays all salaries.'),
    table(
      ['Name', 'Amount'],
      [
        ['John Doe', '1,200'],
        ['Jane Doe', '1,400'],
      ],
    ),
  ],
};

const BOUNDARY = ['From: a@example.org', 'To: b@example.org', 'Subject: x', 'MIME-Version: 1.0'];
const multipart = (parts: string) =>
  Buffer.from(
    [...BOUNDARY, 'Content-Type: multipart/mixed; boundary=b', '', parts.replaceAll('\n', '\r\n')].join(
      '\r\n',
    ),
  );

const mail = multipart(
  `--b\nContent-Type: text/html; charset=iso-2022-jp\nContent-Transfer-Encoding: quoted-printable\n\n<p>a=20b=E9</p>\n--b\nContent-Type: text/csv\nContent-Disposition: attachment; filename*=utf-8''a%20b.csv\nContent-Transfer-Encoding: base64\n\nYSxiCjEsMgo=\n--b--\n`,
);

const wordFile = docxWithBody(wordParagraph('hello'));
const written: readonly (readonly [string, Uint8Array])[] = [
  ...Object.entries(FORMATS).map(([format, { write }]) => [`a.${format}`, write(DOCUMENT)] as const),
  ['mail.eml', mail],
  ['a.mbox', Buffer.concat([Buffer.from('From a@example.org Mon Jan  1 00:00:00 2024\n'), mail])],
  ['a.zip', zip({ 'a.pdf': FORMATS.pdf.write(DOCUMENT), 'b.eml': mail })],
  ['a.odt', zip({ 'META-INF/manifest.xml': '<m/>', 'content.xml': '<a><text:p>hello</text:p></a>' })],
  [
    'a.epub',
    zip({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': '<c><rootfile full-path="b.opf"/></c>',
      'b.opf': '<p><item id="i" href="a%20b.html"/><itemref idref="i"/></p>',
      'a b.html': '<p>hello</p>',
    }),
  ],
  ['agile.docx', agilePackage(wordFile, 'VelvetSweatshop')],
  ['a.png', pngOf(drawn('hello'))],
  ['a.tiff', tiffOf([drawn('hello'), drawn('more')])],
];

/** A slice of a `Buffer` would change the document. */
const DOCUMENTS = written.map(([name, bytes]) => [name, new Uint8Array(bytes)] as const);

/** Every outcome that the interface states. */
const STATED = [
  /^available null$/,
  /^partial (output_bound|member_bound|damaged|encrypted|ocr_off|unknown_format|unknown_encoding)$/,
  /^unsupported (unknown_format|encrypted|ocr_off)$/,
  /^failed (corrupt|size_bound|time_bound|memory_bound)$/,
];

async function expectStated(name: string, bytes: Uint8Array) {
  // A bug rejects.
  const { state, reason } = await read(name, bytes);
  expect(STATED.some((stated) => stated.test(`${state} ${reason}`))).toBe(true);
}

describe.each(DOCUMENTS)('%s', (name, bytes) => {
  const at = fc.nat(bytes.length - 1);

  test('ends in a stated outcome wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(at, (end) => expectStated(name, bytes.slice(0, end))),
      { numRuns: propertyRuns(60) },
    );
  });

  test('ends in a stated outcome whichever bits are flipped', async () => {
    const flips = fc.array(fc.tuple(at, fc.nat(7)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(flips, (places) => {
        const flipped = bytes.slice();
        for (const [place, bit] of places) flipped[place] = (flipped[place] ?? 0) ^ (1 << bit);
        return expectStated(name, flipped);
      }),
      { numRuns: propertyRuns(120) },
    );
  });
});

describe('bytes that a library refuses', () => {
  const changed = (bytes: Uint8Array, from: string, to: string) => {
    const text = Buffer.from(bytes).toString('latin1');
    expect(text).toContain(from);
    return Buffer.from(text.replace(from, to), 'latin1');
  };

  test('yauzl: a package without directory and without members has failed', async () => {
    const broken = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(40, 0xff)]);
    await expect(openZip(broken, { members: 10, inflatedBytes: 1_000 })).rejects.toThrow(Damaged);
  });

  test('zlib: a part that does not inflate is damaged', async () => {
    const bytes = docxWithBody(wordParagraph('hello '.repeat(500)));
    const part = Buffer.from(bytes).indexOf('word/document.xml') + 'word/document.xml'.length;
    expect(await read('a.docx', bytes.slice().fill(0xff, part, part + 20))).toMatchObject({
      state: 'failed',
      reason: 'corrupt',
    });
  });

  test('pdf.js: a document without pages has failed', async () => {
    const two = pdfOf([pdfText('first page'), pdfText('second page')]);
    expect(await read('a.pdf', changed(two, '/Pages 2 0 R', '/Pages 99 0 R'))).toMatchObject({
      state: 'failed',
      reason: 'corrupt',
    });
  });

  test('postal-mime: parts nested without end are damaged', async () => {
    const nested = Array.from({ length: 60 }, (_, at) =>
      ['', `--b${at}`, `Content-Type: multipart/mixed; boundary=b${at + 1}`, ''].join('\r\n'),
    );
    const head = [...BOUNDARY, 'Content-Type: multipart/mixed; boundary=b0', ''].join('\r\n');
    expect(await read('a.eml', Buffer.from(head + nested.join('')))).toMatchObject({
      format: 'eml',
      state: 'failed',
      reason: 'corrupt',
    });
  });

  test('crypto: a key that does not fit its cipher is damage', async () => {
    const sealed = Buffer.from(agilePackage(wordFile, 'VelvetSweatshop')).toString('latin1');
    const [, value = ''] = /encryptedKeyValue="([^"]+)"/.exec(sealed) ?? [];
    const short = value.slice(0, 20).padEnd(value.length, ' ');
    expect(await read('a.docx', Buffer.from(sealed.replace(value, short), 'latin1'))).toMatchObject({
      state: 'failed',
      reason: 'corrupt',
    });
  });
});

describe('what a library throws is damage, whatever its class', () => {
  const broken = () => {
    throw new TypeError('Cannot read properties of undefined');
  };

  test('at once, later, and while it yields', async () => {
    expect(() => byLibrarySync(broken)).toThrow(Damaged);
    await expect(byLibrary(async () => broken())).rejects.toThrow(Damaged);
    const read: number[] = [];
    const items = (async function* () {
      yield 1;
      broken();
    })();
    await expect(
      (async () => {
        for await (const item of eachByLibrary(items)) read.push(item);
      })(),
    ).rejects.toThrow(Damaged);
    expect(read).toEqual([1]);
  });
});

describe('a bug of the service', () => {
  afterEach(() => vi.restoreAllMocks());
  const bugs = [new TypeError('bug'), new RangeError('bug'), new ReferenceError('bug'), new Error('bug')];

  test.each(bugs)('in an extractor is no damage: %s', async (bug) => {
    vi.spyOn(docx, 'extract').mockRejectedValue(bug);
    await expect(read('a.docx', wordFile)).rejects.toBe(bug);
  });

  test.each(bugs)('in the extractor of a file inside is no damage of the file around it: %s', async (bug) => {
    vi.spyOn(plainText, 'extract').mockRejectedValue(bug);
    const attached = multipart(
      '--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nhello\n--b--\n',
    );
    for (const [name, bytes] of [
      ['a.eml', attached],
      ['a.mbox', Buffer.concat([Buffer.from('From a@example.org Mon Jan  1 00:00:00 2024\n'), attached])],
      ['a.zip', zip({ 'a.txt': 'hello' })],
    ] as const) {
      await expect(read(name, bytes)).rejects.toBe(bug);
    }
  });

  test('while a part is read is no damage of the part', async () => {
    const bug = new TypeError('bug');
    vi.spyOn(BoundedText.prototype, 'write').mockImplementation(() => {
      throw bug;
    });
    for (const [name, bytes] of DOCUMENTS) {
      const outcome = await read(name, bytes).catch((error: unknown) => error);
      expect([name, outcome === bug || (outcome as { state?: string }).state === 'unsupported']).toEqual([
        name,
        true,
      ]);
    }
  });

  test('that a full memory causes is a bound of the memory', async () => {
    vi.spyOn(docx, 'extract').mockRejectedValue(new RangeError('Array buffer allocation failed'));
    expect(await read('a.docx', wordFile)).toMatchObject({ state: 'failed', reason: 'memory_bound' });
  });
});
