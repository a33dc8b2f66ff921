import { createHash } from 'node:crypto';
import { gzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { compoundFile } from '../../../support/documents/compound-file.ts';
import { docFile } from '../../../support/documents/doc.ts';
import { docxWithBody, filled, paragraph, withDirectory, zip } from '../../../support/documents/packages.ts';
import { packedFile, rtfOf } from '../../../support/documents/rtf.ts';
import { word } from '../../../support/documents/words.ts';

const read = (bytes: Uint8Array, bounds = {}, name = 'file') =>
  extract({ name, mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

/** A mail with this file attached. */
const mailWith = (name: string, attached: Uint8Array) =>
  Buffer.from(
    [
      'From: a@example.org',
      'To: b@example.org',
      'Subject: one',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      '',
      'hello',
      '--x',
      `Content-Type: application/octet-stream; name="${name}"`,
      `Content-Disposition: attachment; filename="${name}"`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(attached).toString('base64'),
      '--x--',
      '',
    ].join('\r\n'),
  );

const hash = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

test('an archive: every file with name and text, in any format, and what it contains', async () => {
  const document = docxWithBody(paragraph('a document'));
  const bytes = zip({
    'Ünten/a.docx': document,
    'b.txt': 'a text',
    'c.png': Buffer.from('\x89PNG\r\n\0\0\0\0', 'latin1'),
    'd/': '',
  });
  expect(await read(bytes)).toEqual({
    state: 'partial',
    format: 'zip',
    text: 'Ünten/a.docx\na document\nb.txt\na text\nc.png',
    reason: 'unknown_format',
    unreadParts: 1,
    contains: [hash(document), hash('a text')],
    inside: [
      { path: 'Ünten/a.docx', start: 13, end: 23 },
      { path: 'b.txt', start: 30, end: 36 },
    ],
  });
});

test('archives in archives are read down to the depth, and deeper files are named', async () => {
  const inner = zip({ 'a.txt': 'deep', 'innermost.zip': zip({ 'c.txt': 'deeper' }) });
  const outer = zip({ 'inner.zip': inner, 'b.txt': 'shallow' });
  expect(await read(outer)).toMatchObject({
    state: 'available',
    text: 'inner.zip\na.txt\ndeep\ninnermost.zip\nc.txt\ndeeper\nb.txt\nshallow',
  });
  expect(await read(outer, { maxDepth: 2 })).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
    text: 'inner.zip\na.txt\ndeep\ninnermost.zip\nc.txt\nb.txt\nshallow',
  });
  const one = zip({ 'a.txt': 'deep' });
  expect(await read(gzipSync(one), {}, 'one.zip.gz')).toMatchObject({
    state: 'available',
    text: 'one.zip\na.txt\ndeep',
    contains: [hash(one), hash('deep')],
  });
  const packed = gzipSync(Buffer.from('log line'));
  expect(await read(zip({ 'a.log.gz': packed }))).toMatchObject({
    state: 'available',
    text: 'a.log.gz\na.log\nlog line',
  });
});

test('an archive attached to a mail: the archive in it is read too, within the depth', async () => {
  const attached = zip({ 'inner.zip': zip({ 'a.txt': 'deep' }), 'b.txt': 'shallow' });
  const mail = mailWith('box.zip', attached);
  expect(await read(mail)).toMatchObject({
    state: 'available',
    text: expect.stringMatching(/box\.zip\ninner\.zip\na\.txt\ndeep\nb\.txt\nshallow$/),
  });
  expect(await read(mail, { maxDepth: 2 })).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
    text: expect.stringMatching(/box\.zip\ninner\.zip\na\.txt\nb\.txt\nshallow$/),
  });
});

test('archives in an archive share its budget of members and bytes', async () => {
  const inner = zip(
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.txt`, 'x'.repeat(500)])),
  );
  const archive = zip(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.zip`, inner])));
  expect(await read(archive)).toMatchObject({ state: 'available' });
  for (const bounds of [{ maxMembers: 60 }, { maxInflatedBytes: 30_000 }]) {
    expect(await read(archive, bounds)).toMatchObject({
      state: 'partial',
      reason: 'member_bound',
      text: expect.stringMatching(/^0\.zip\n0\.txt\nx{500}\n1\.txt/),
    });
  }
});

test('a file in a document in an archive is read, within the depth', async () => {
  const document = docxWithBody(paragraph('outer'), {
    'word/embeddings/inner.docx': '',
  });
  const nested = zip({
    '[Content_Types].xml': '<T/>',
    'word/document.xml': paragraph('outer'),
    'word/embeddings/inner.docx': docxWithBody(paragraph('inner')),
  });
  expect(await read(zip({ 'a.docx': nested }))).toMatchObject({
    state: 'available',
    text: 'a.docx\nouter\ninner.docx\ninner',
  });
  expect(await read(zip({ 'a.docx': nested }), { maxDepth: 1 })).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
    text: 'a.docx\nouter\ninner.docx',
  });
  expect(await read(document)).toMatchObject({ state: 'available', text: 'outer\ninner.docx' });
});

test('one budget of members, bytes and characters for all of it', async () => {
  const part = docxWithBody(paragraph('x'.repeat(1_000)));
  const archive = zip(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.docx`, part])));
  expect(await read(archive)).toMatchObject({ state: 'available' });
  for (const bounds of [{ maxMembers: 30 }, { maxInflatedBytes: 20_000 }]) {
    expect(await read(archive, bounds)).toMatchObject({
      state: 'partial',
      reason: 'member_bound',
      text: expect.stringMatching(/^0\.docx\nx{1000}\n1\.docx/),
    });
  }
  const cut = await read(archive, { maxCharacters: 2_500 });
  expect(cut).toMatchObject({ state: 'partial', reason: 'output_bound' });
  expect('text' in cut ? cut.text.length : 0).toBe(2_500);
});

test('what is wrong with a file inside costs only itself', async () => {
  const bytes = zip({
    'a.docx': zip({ '[Content_Types].xml': '<T/>', 'word/document.xml': '<<<' }),
    'b.txt': 'fine',
  });
  expect(await read(bytes)).toMatchObject({
    state: 'partial',
    reason: 'damaged',
    unreadParts: 1,
    text: 'a.docx\nb.txt\nfine',
  });
});

test('encrypted members: some make the archive partial, all make it encrypted', async () => {
  const lock = (chosen: (record: number) => boolean) => {
    let record = 0;
    return withDirectory(zip({ 'a.txt': 'secret', 'b.txt': 'open' }), (data, at) => {
      if (chosen(record++)) data.writeUInt16LE(data.readUInt16LE(at + 8) | 1, at + 8);
    });
  };
  expect(await read(lock((record) => record === 0))).toMatchObject({
    state: 'partial',
    reason: 'encrypted',
    text: 'a.txt\nb.txt\nopen',
  });
  expect(await read(lock(() => true))).toEqual({ state: 'unsupported', format: 'zip', reason: 'encrypted' });
});

test('names of members in the code page of their machine', async () => {
  // 文章.txt and 审计压缩.txt, in place of names of the same length.
  const renamed = (name: Buffer) => {
    const plain = 'x'.repeat(name.length);
    const archive = Buffer.from(zip({ [plain]: 'a' }));
    for (let at = archive.indexOf(plain); at >= 0; at = archive.indexOf(plain, at + 1))
      name.copy(archive, at);
    return new Uint8Array(archive);
  };
  const japanese = Buffer.from('\x95\xb6\x8f\xcd.txt', 'latin1');
  const chinese = Buffer.from('\xc9\xf3\xbc\xc6\xd1\xb9\xcb\xf5.txt', 'latin1');
  expect(await read(renamed(japanese))).toMatchObject({ text: '文章.txt\na' });
  expect(await read(renamed(chinese))).toMatchObject({ text: '审计压缩.txt\na' });
});

test('gzip: the one file inside, named by its header or by the packed name', async () => {
  const named = gzipSync(Buffer.from('{"a":"Jos\\u00e9"}'), { filename: 'data.json' });
  expect(await read(named, {}, 'x.gz')).toMatchObject({
    state: 'available',
    text: 'data.json\n{"a":"José"}',
  });
  const unnamed = gzipSync(Buffer.from('a;b\n1;2'));
  expect(await read(unnamed, {}, 'table.csv.gz')).toMatchObject({
    format: 'gz',
    text: 'table.csv\na\tb\n1\t2',
  });
  const long = gzipSync(Buffer.from('hello '.repeat(50_000)));
  expect(await read(long.subarray(0, long.length - 20), {}, 'a.gz')).toMatchObject({
    state: 'partial',
    reason: 'damaged',
    text: expect.stringMatching(/hello hello/),
  });
});

test('a package whose directory is lost gives what its members hold', async () => {
  const whole = docxWithBody(paragraph('body'), { 'word/header1.xml': paragraph('head'.repeat(200)) });
  const directory = Buffer.from(whole).indexOf('PK\x01\x02');
  expect(await read(whole.subarray(0, directory))).toMatchObject({
    state: 'partial',
    format: 'docx',
    reason: 'damaged',
    text: expect.stringMatching(/^body\nhead/),
  });
});

test('an object in a document: a package, and a file that was dropped into it', async () => {
  const size = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const dropped = Buffer.from('salaries');
  const native = Buffer.concat([
    size(0),
    Buffer.from('\x02\0pay.txt\0C:\\pay.txt\0\0\0\x03\0', 'latin1'),
    size(7),
    Buffer.from('C:\\tmp\0'),
    size(dropped.length),
    dropped,
  ]);
  const document = zip({
    '[Content_Types].xml': '<T/>',
    'word/document.xml': paragraph('body'),
    'word/embeddings/oleObject1.bin': compoundFile({ '\x01Ole10Native': native }),
    'word/embeddings/oleObject2.bin': compoundFile({ Package: docxWithBody(paragraph('inner')) }),
  });
  expect(await read(document, { maxDepth: 1 })).toMatchObject({
    state: 'available',
    text: 'body\noleobject1.bin\npay.txt\nsalaries\noleobject2.bin\ninner',
  });
});

test('a packed file is called by its own name: of a path of a Mac, or in Unicode', async () => {
  const named = (label: string, tail: Uint8Array = Buffer.alloc(0)) => {
    const file = Buffer.concat([packedFile(label, Buffer.from('salaries')), tail]);
    return zip({
      '[Content_Types].xml': '<T/>',
      'word/document.xml': paragraph('body'),
      'word/embeddings/oleObject1.bin': compoundFile({
        '\x01Ole10Native': Buffer.concat([word(file.length), file]),
      }),
    });
  };
  const text = (name: string) => ({ text: `body\noleobject1.bin\n${name}\nsalaries` });
  expect(await read(named('Macintosh HD:Users:ann:pay.txt'))).toMatchObject(text('pay.txt'));
  const wide = (value: string) => Buffer.concat([word(value.length), Buffer.from(value, 'utf16le')]);
  const tail = Buffer.concat([wide('C:\\tmp\\給料.txt'), wide('給料.txt'), wide('C:\\給料.txt')]);
  expect(await read(named('??.txt', tail))).toMatchObject(text('給料.txt'));
  expect(await read(named('pay.txt', tail.subarray(0, 20)))).toMatchObject(text('pay.txt'));
});

test('a package that an application stored as an object without its container', async () => {
  const document = zip({
    '[Content_Types].xml': '<T/>',
    'xl/workbook.xml': '<workbook/>',
    'xl/embeddings/oleObject1.bin': docxWithBody(paragraph('inner')),
    'xl/embeddings/Microsoft_Word_Document': docxWithBody(paragraph('second')),
    'xl/legacy.doc': docFile({ pieces: [{ text: 'third\r' }] }),
  });
  expect(await read(document)).toMatchObject({
    state: 'available',
    text: 'microsoft_word_document\nsecond\noleobject1.bin\ninner\nlegacy.doc\nthird',
  });
  const raw = compoundFile({ Package: docxWithBody(paragraph('inner')) });
  const rich = rtfOf(`body{\\object{\\*\\objdata ${Buffer.from(raw).toString('hex')}}}`);
  expect(await read(rich)).toMatchObject({ text: 'body\ninner' });
});

test('attachments of mail are read as what they are', async () => {
  const attached = docxWithBody(paragraph('attached words'));
  expect(await read(mailWith('pay.docx', attached))).toMatchObject({
    state: 'available',
    format: 'eml',
    text: expect.stringMatching(/hello\npay\.docx\nattached words$/),
    contains: [hash(attached)],
  });
});

test('a small archive that inflates without end costs little', { timeout: 60_000 }, async () => {
  const endless = zip({ 'a.txt': filled('hello', 'abc def ', 100_000_000), 'b.txt': 'after' });
  const before = process.memoryUsage.rss();
  expect(await read(endless, { maxCharacters: 10_000_000 })).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
    text: expect.stringMatching(/^a\.txt\nhello[\s\S]*\nb\.txt\nafter$/),
  });
  expect((process.memoryUsage.rss() - before) / 1e6).toBeLessThan(100);
});
