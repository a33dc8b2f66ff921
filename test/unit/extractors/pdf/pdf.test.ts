import { createHash } from 'node:crypto';
import { zlibSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { pdfOf, pdfText } from '../../../support/documents/pdf.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'file', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

test('pages, links, title', async () => {
  const bytes = pdfOf([pdfText('first page'), pdfText('second page')], { title: 'The title' });
  const link = 'https://example.org/offer';
  expect(await read(bytes)).toEqual({
    state: 'available',
    format: 'pdf',
    text: `first page\n${link}\nsecond page\n${link}\nThe title`,
    title: 'The title',
    reason: null,
  });
  expect(bytes.length).toBeGreaterThan(0);
});

test('bytes before the header do no harm', async () => {
  const bytes = Buffer.concat([Buffer.alloc(128), pdfOf([pdfText('found')])]);
  expect(await read(bytes)).toMatchObject({ format: 'pdf', text: expect.stringContaining('found') });
});

test('pages and output are bounded', async () => {
  const pages = Array.from({ length: 5 }, (_, at) => pdfText(`page ${at}`));
  expect(await read(pdfOf(pages), { maxMembers: 2 })).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
  });
  expect(await read(pdfOf(pages), { maxCharacters: 9 })).toEqual({
    state: 'partial',
    format: 'pdf',
    text: 'page 0\nht',
    reason: 'output_bound',
  });
});

test('a broken file has failed', async () => {
  expect(await read(Buffer.from('%PDF-1.7\nnothing'))).toEqual({
    state: 'failed',
    format: 'pdf',
    reason: 'corrupt',
  });
});

test('heads of objects over three lines, as one exporter writes them', async () => {
  const bytes = Buffer.from(pdfOf([pdfText('found')])).toString('latin1');
  const broken = Buffer.from(bytes.replaceAll(/(\d) 0 obj/g, '$1\n0\nobj'), 'latin1');
  expect(await read(broken)).toMatchObject({ state: 'available', text: expect.stringContaining('found') });
});

test('a file encrypted for certificates is encrypted', async () => {
  const trailer =
    '/ID[<00><00>]/Encrypt<</Filter/Adobe.PubSec/SubFilter/adbe.pkcs7.s5/V 4/Length 128/CF<</DefaultCryptFilter<</CFM/AESV2/Recipients[<30>]>>>>/StmF/DefaultCryptFilter/StrF/DefaultCryptFilter>>';
  expect(await read(pdfOf([pdfText('sealed')], { trailer }))).toMatchObject({
    ...{ state: 'unsupported', reason: 'encrypted' },
  });
});

const attachment = (name: string, more: string) => `/Type/Filespec/F(${name})/UF(${name})/EF<<${more}>>`;

test('bookmarks, attachments by list and for other platforms, a form, each once', async () => {
  const bytes = pdfOf([pdfText('body')], {
    catalog:
      '/Outlines 6 0 R/Names<</EmbeddedFiles<</Names[(a) 8 0 R]>>>>/AcroForm<</Fields[]/XFA[(template) 11 0 R]>>',
    objects: [
      { dictionary: '/Type/Outlines/First 7 0 R/Last 7 0 R/Count 1' },
      { dictionary: '/Title(Chapter one)/Parent 6 0 R' },
      { dictionary: attachment('pay.txt', '/F 9 0 R/DOS 10 0 R') },
      { dictionary: '/Type/EmbeddedFile', stream: 'salaries' },
      { dictionary: '/Type/EmbeddedFile/Filter/FlateDecode', stream: zlibSync(Buffer.from('for others')) },
      {
        dictionary: '/Type/EmbeddedFile',
        stream: '<template><text>Printed</text><script>no</script></template>',
      },
    ],
  });
  const lines = [
    'body',
    'https://example.org/offer',
    'Chapter one',
    'pay.txt',
    'salaries',
    'for others',
    'Printed',
  ];
  const contains = ['salaries', 'for others'].map((text) => createHash('sha256').update(text).digest('hex'));
  expect(await read(bytes)).toEqual({
    state: 'available',
    format: 'pdf',
    text: lines.join('\n'),
    reason: null,
    contains,
    inside: [{ path: 'pay.txt', start: 51, end: 59 }],
  });
});

test('a page that would inflate past what may be held is emptied, the others are read', async () => {
  const bomb = { content: zlibSync(new Uint8Array(20_000_000).fill(0x20)), filter: 'FlateDecode' };
  const repeated = { content: zlibSync(new Uint8Array(5_000_000).fill(0x20)), filter: 'FlateDecode' };
  const twice = { content: zlibSync(zlibSync(Buffer.from('BT ET'))), filter: '[/FlateDecode/FlateDecode]' };
  for (const page of [bomb, repeated, twice]) {
    expect(await read(pdfOf([pdfText('before'), page, pdfText('after')]))).toMatchObject({
      state: 'partial',
      reason: 'member_bound',
      text: expect.stringMatching(/before[\s\S]*after/),
    });
  }
  const drawing = Array.from({ length: 500_000 }, (_, at) => `${at * 7919} m`).join('\n');
  const large = { content: zlibSync(Buffer.from(drawing)), filter: 'FlateDecode' };
  expect(await read(pdfOf([large, pdfText('after')]))).toMatchObject({ state: 'available' });
});

describe('a page without text', () => {
  const strip = { dictionary: '/Type/XObject/Subtype/Image/Width 600/Height 4/ColorSpace/DeviceGray' };
  const image = { dictionary: `${strip.dictionary}/BitsPerComponent 8`, stream: Buffer.alloc(2_400, 0x55) };
  const pattern = {
    dictionary:
      '/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 600 800]/XStep 600/YStep 800/Resources<</XObject<</Im1 6 0 R>>>>',
    stream: 'q 600 0 0 800 0 0 cm /Im1 Do Q',
  };
  const page = (content: string) => {
    const bytes = Buffer.from(pdfOf([{ content }], { objects: [image, pattern] })).toString('latin1');
    const resources = '/Resources<</XObject<</Im1 6 0 R>>/Pattern<</P1 7 0 R>>';
    // The note on the page has a link, which is text.
    return Buffer.from(bytes.replace(/\/Annots\[.*?\]\/Resources<</, resources), 'latin1');
  };
  const strips = Array.from({ length: 200 }, (_, at) => `q 600 0 0 4 0 ${at * 4} cm /Im1 Do Q`).join('\n');

  test.for([
    ['of a scan in strips', strips],
    ['of a scan in a pattern', '/Pattern cs /P1 scn 0 0 600 800 re f'],
    ['of outlines', '2 w 100 100 m 120 180 l 140 100 l S'],
    ['of a small picture', 'q 60 0 0 4 0 0 cm /Im1 Do Q'],
  ])('%s was not read', async ([, content = '']) => {
    expect(await read(page(content))).toMatchObject({
      ...{ state: 'unsupported', reason: 'ocr_off', unreadParts: 1 },
    });
  });

  test.for([
    ['that is blank', ''],
    ['of white', '1 g 0 0 600 800 re f'],
  ])('%s was read', async ([, content = '']) => {
    expect(await read(page(content))).toMatchObject({ state: 'available', reason: null });
  });

  test('of strips beside a page number was not read, of a line beside it was', async () => {
    const number = pdfText('7').content;
    expect(await read(page(`${strips} ${number}`))).toMatchObject({ state: 'partial', reason: 'ocr_off' });
    expect(await read(page(`0 50 m 600 50 l S ${number}`))).toMatchObject({ state: 'available' });
  });
});
