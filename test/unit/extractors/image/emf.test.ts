import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { compoundFile } from '../../../support/documents/compound-file.ts';
import { docFile } from '../../../support/documents/doc.ts';
import {
  emf,
  metafileBlip,
  otherFormats,
  smallText,
  transform,
  wideText,
} from '../../../support/documents/emf.ts';
import { docxWithBody, paragraph, zip } from '../../../support/documents/packages.ts';
import { pdfOf, pdfText } from '../../../support/documents/pdf.ts';
import { pptFile, slide, textCharacters } from '../../../support/documents/ppt.ts';
import { label, record, workbook } from '../../../support/documents/xls.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'file', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

const available = (format: string, text: string) => ({ state: 'available', format, text, reason: null });

const GLYPHS = 0x10;

test('texts of a metafile: parts of a word join, words and lines part', async () => {
  const metafile = emf(
    wideText('Sal'),
    wideText('ary', { x: 30 }),
    wideText('4711', { x: 80 }),
    wideText('Löhne', { y: 20 }),
    wideText('\u0123', { y: 40, options: GLYPHS }),
    smallText('small', 60),
    transform,
    wideText('moved', { y: 60 }),
  );
  expect(await read(metafile)).toEqual(available('emf', 'Salary 4711\nLöhne\nsmall\nmoved'));
});

test('a metafile without words is a picture', async () => {
  expect(await read(emf())).toEqual({ state: 'unsupported', format: 'image', reason: 'unknown_format' });
});

test('the PDF that Office for Mac keeps in a metafile is read', async () => {
  const pdf = pdfOf([pdfText('from a Mac')]);
  expect(await read(emf(otherFormats(pdf, Buffer.from('plain words'))))).toMatchObject({
    state: 'available',
    format: 'emf',
    text: 'from a Mac\nhttps://example.org/offer\nplain words',
    contains: [expect.any(String), expect.any(String)],
  });
});

test('metafiles in packages, Office Open XML and OpenDocument', async () => {
  const picture = emf(wideText('in the picture'));
  const document = docxWithBody(paragraph('body'));
  const members = {
    '[Content_Types].xml': '<T/>',
    'word/document.xml': `<w:document>${paragraph('body')}</w:document>`,
    'word/media/image1.emf': picture,
    'docProps/thumbnail.emf': emf(wideText('thumbnail')),
  };
  expect(await read(zip(members))).toEqual(available('docx', 'body\nin the picture'));
  const odf = {
    'META-INF/manifest.xml': '<m/>',
    'content.xml': '<c><text:p>body</text:p></c>',
    'Pictures/1.emf': picture,
  };
  expect(await read(zip(odf))).toEqual(available('odf', 'body\nin the picture'));
  expect(await read(zip({ 'a.emf': picture, 'b.docx': document }))).toMatchObject({
    text: 'a.emf\nin the picture\nb.docx\nbody',
  });
});

test('metafiles in DOC, XLS and PPT, each once, packed or not', async () => {
  const first = metafileBlip(emf(wideText('first picture')), 'a');
  const second = metafileBlip(emf(wideText('second picture')), 'b', false);
  const pictures = Buffer.concat([Buffer.from('anything'), first, first, second]);
  const found = 'first picture\nsecond picture';
  expect(await read(docFile({ pieces: [{ text: 'body\r' }] }, { Data: pictures }))).toEqual(
    available('doc', `body\n${found}`),
  );
  const object = slide(textCharacters('a slide'));
  expect(await read(pptFile([object], [], { Pictures: pictures }))).toEqual(
    available('ppt', `a slide\n${found}`),
  );
  const half = pictures.length >> 1;
  const drawings = [record(0xeb, pictures.subarray(0, half)), record(0x3c, pictures.subarray(half))];
  const stream = workbook(drawings, [label(0, 'a cell')]);
  expect(await read(compoundFile({ Workbook: stream }))).toEqual(available('xls', `a cell\n${found}`));
});

test('metafiles share the budget of the file around them', async () => {
  const long = emf(...Array.from({ length: 500 }, (_, y) => wideText('word '.repeat(20), { y })));
  const document = docFile({ pieces: [{ text: 'body\r' }] }, { Data: metafileBlip(long) });
  expect(await read(document)).toMatchObject({ state: 'available' });
  for (const bounds of [{ maxMembers: 0 }, { maxInflatedBytes: 10_000 }]) {
    expect(await read(document, bounds)).toMatchObject({
      state: 'partial',
      reason: 'member_bound',
      text: 'body',
    });
  }
});

test('files in a metafile past the bound on members make the file around it partial', async () => {
  const picture = emf(wideText('words'), otherFormats(Buffer.from('one'), Buffer.from('two')));
  const document = { 'word/document.xml': `<w:document>${paragraph('body')}</w:document>` };
  const files: [Uint8Array, number][] = [
    [picture, 1],
    [docFile({ pieces: [{ text: '\r' }] }, { Data: metafileBlip(picture) }), 2],
    [zip({ '[Content_Types].xml': '<T/>', ...document, 'word/media/1.emf': picture }), 4],
    [zip({ 'META-INF/manifest.xml': '<m/>', 'content.xml': '<c/>', 'Pictures/1.emf': picture }), 4],
  ];
  for (const [file, maxMembers] of files) {
    expect(await read(file, { maxMembers })).toMatchObject({
      state: 'partial',
      reason: 'member_bound',
      text: expect.stringMatching(/words\none$/),
    });
  }
});

test('a metafile of any bytes never fails to end', async () => {
  const whole = emf(wideText('words'), smallText('small', 1), otherFormats(Buffer.from('file')));
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), async (at, byte, cut) => {
      const broken = Buffer.from(whole);
      if (at >= 44) broken[at] = byte;
      const { state, reason } = await read(broken.subarray(0, Math.max(44, cut)));
      // A changed byte can make a text whose encoding is a guess.
      expect(`${state} ${reason}`).toMatch(/^(available null|partial unknown_encoding|unsupported \w+)$/);
    }),
  );
});
