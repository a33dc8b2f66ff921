import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { cpuMs } from '../../../support/cpu-time.ts';
import { objectData, packedFile, rtfOf } from '../../../support/documents/rtf.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'file', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

const textOf = async (body: string) => {
  const outcome = await read(rtfOf(body));
  return 'text' in outcome ? outcome.text : outcome;
};

test('paragraphs, cells, escapes, and words that stand for characters', async () => {
  expect(
    await read(rtfOf('4111 \\b 1111\\b0\r\n 1111\\par a\\cell b\\cell\\row\\{x\\}\\~\\emdash\\_\\tab y')),
  ).toEqual({
    state: 'available',
    format: 'rtf',
    text: '4111 1111 1111\na\tb\n{x}\u00a0—-\ty',
    reason: null,
  });
});

test('code pages of fonts, of the document, and characters of two bytes', async () => {
  expect(await textOf("\\f0 \\'e9\\f2 \\'c4\\'e0\\f3 \\'c1\\plain \\'e9")).toBe('éДаΑé');
  expect(await textOf("\\f1 \\'83^\\'83\\'8b\\'83\\\\{\\f4 \\'d6\\'d0}")).toBe('タルソ中');
  expect(await read(Buffer.from("{\\rtf1\\ansi\\ansicpg1250 \\'b9}"))).toMatchObject({ text: 'ą' });
  expect(await read(Buffer.from("{\\rtf1\\mac \\'8e}"))).toMatchObject({ text: 'é' });
});

test('Unicode, and what stands for it where that is not known', async () => {
  expect(
    await textOf("\\u8364?1\\uc2\\u8364 ab2\\uc0\\u8364 3{\\uc3\\u8364 \\'e9xy4}\\uc1\\u-10179?\\u-8704?"),
  ).toBe('€1€2€3€4😀');
  expect(await textOf('\\u8364\\par next')).toBe('€\nnext');
  expect(await textOf('{\\upr{\\xe ansi}{\\*\\ud{\\xe unicode}}}')).toBe('unicode');
});

test('headers, notes, comments, fields, hidden text, properties', async () => {
  const body =
    '{\\info{\\title Plan}{\\author Ann}{\\creatim\\yr2020}}{\\*\\userprops{\\propname Case}\\proptype30{\\staticval 4711}}' +
    '{\\header top}body{\\footnote note}{\\*\\atnauthor Bob}{\\*\\annotation remark}{\\v secret}\\par' +
    '{\\field{\\*\\fldinst HYPERLINK "https://e.org"}{\\fldrslt here}}{\\field{\\*\\fldinst PAGE}{\\fldrslt 1}}';
  expect(await textOf(body)).toBe(
    'Plan\nAnn\nCase\n4711\ntop\nbody\nnote\nBob\nremark\nsecret\nHYPERLINK "https://e.org"\nhere1',
  );
});

test('alternative texts and text boxes of shapes, once, and nothing else of them', async () => {
  const shape =
    '{\\shp{\\*\\shpinst{\\sp{\\sn wzDescription}{\\sv a map}}{\\sp{\\sn posh}{\\sv 3}}{\\shptxt box}}{\\shprslt box}}';
  const rest = '{\\stylesheet{\\s0 Normal;}}{\\pict\\bin4 {{{{ffff}{\\*\\generator X;}{\\*\\new{\\title no}}';
  expect(await textOf(`${rest}${shape}end`)).toBe('a map\nbox\nend');
});

test('files inside: packed ones by name, documents by content', async () => {
  const packed = objectData('Package', packedFile('letter.txt', Buffer.from('dear all')));
  const inner = objectData('Word.RTF.8', rtfOf('inner text'));
  const object = (data: string) =>
    `{\\object\\objemb{\\*\\objdata ${data.replace(/.{64}/g, '$&\r\n')}}{\\result icon}}`;
  expect(await read(rtfOf(`outer${object(packed)}${object(inner)}`))).toMatchObject({
    state: 'available',
    text: 'outericonicon\nletter.txt\ndear all\ninner text',
    contains: [expect.any(String), expect.any(String)],
  });
});

test('a page that a mail program wrapped', async () => {
  const page =
    '{\\rtf1\\ansi\\fromhtml1{\\fonttbl{\\f0\\fcharset0 A;}}{\\*\\htmltag64 <p>}\\htmlrtf {\\b not of the page\\htmlrtf0 ' +
    'Dear {\\*\\htmltag84 <a href="https://e.org">}J\\\'f6rg{\\*\\htmltag92 </a>}\\htmlrtf }\\htmlrtf0{\\*\\htmltag72 </p>}}';
  expect(await read(Buffer.from(page))).toMatchObject({
    state: 'available',
    text: 'Dear Jörg\nhttps://e.org',
  });
});

test('a file that breaks off is damaged, one without text has failed', async () => {
  expect(await read(Buffer.from('{\\rtf1 kept {\\b lost'))).toMatchObject({
    state: 'partial',
    text: 'kept lost',
  });
  expect(await read(Buffer.from('{\\rtf1{\\*\\x lost'))).toMatchObject({
    state: 'failed',
    reason: 'corrupt',
  });
  expect(await read(rtfOf('word \\par '.repeat(1000)), { maxCharacters: 50 })).toMatchObject({
    state: 'partial',
    reason: 'output_bound',
  });
});

test.for<[string, string]>([
  ['groups', `${'{'.repeat(100_000)}x`],
  ['a long word', `\\${'a'.repeat(1_000_000)}`],
  ['a long number', `\\u${'9'.repeat(1_000_000)}`],
  ['bytes that are not there', '\\bin2147483647 x'],
  ['hex in short lines', `{\\*\\objdata ${'0123456789abcdef\r\n'.repeat(60_000)}}`],
  ['names of properties', '{\\sn x}'.repeat(50_000)],
])('%s without end cost little', async ([, body]) => {
  const started = cpuMs();
  await read(rtfOf(body));
  expect(cpuMs() - started).toBeLessThan(2_000);
});
