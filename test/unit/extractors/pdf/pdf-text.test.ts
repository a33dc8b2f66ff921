import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { type PdfObject, type PdfPart, pdfOf } from '../../../support/documents/pdf.ts';

const LINK = '\nhttps://example.org/offer';

async function textOf(page: PdfPart, objects: readonly PdfObject[] = []): Promise<string> {
  const file = { name: 'file', mimeType: null, bytes: pdfOf([page], { objects }) };
  const outcome = await extract(file, DEFAULT_EXTRACTION.bounds);
  return 'text' in outcome ? outcome.text.replace(LINK, '') : outcome.state;
}

/** Lines of Helvetica, 14 points apart. */
const lines = (...texts: string[]): PdfPart => ({
  content: `BT /F1 12 Tf 72 700 Td ${texts.map((text) => `(${text}) Tj 0 -14 Td`).join(' ')} ET`,
});

const hex = (text: string) =>
  Array.from(text, (char) => char.charCodeAt(0).toString(16).padStart(4, '0')).join('');

const DESCRIPTOR =
  '/Type/FontDescriptor/FontName/X/Flags 4/FontBBox[0 -200 1000 800]/Ascent 800/Descent -200';

/** A font that is not embedded and has only the name of a CMap, as the second font of the only page. */
const asianFont = (cmap: string, ordering: string): PdfObject[] => [
  { dictionary: `/Type/Font/Subtype/Type0/BaseFont/X/Encoding/${cmap}/DescendantFonts[7 0 R]` },
  {
    dictionary: `/Type/Font/Subtype/CIDFontType0/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/FontDescriptor 8 0 R/DW 1000`,
  },
  { dictionary: DESCRIPTOR },
];

test.for([
  ['UniJIS-UCS2-H', 'Japan1', hex('日本語の文書'), '日本語の文書'],
  ['90ms-RKSJ-H', 'Japan1', '93fa967b8cea', '日本語'],
  ['UniGB-UCS2-H', 'GB1', hex('中文文件客户'), '中文文件客户'],
  ['ETen-B5-H', 'CNS1', 'a4a4a4e5', '中文'],
  ['UniKS-UCS2-H', 'Korea1', hex('한국어'), '한국어'],
])('text with the predefined CMap %s', async ([cmap = '', ordering = '', codes, expected]) => {
  const content = `BT /F2 12 Tf 72 700 Td <${codes}> Tj ET`;
  expect(await textOf({ content, fonts: '/F2 6 0 R' }, asianFont(cmap, ordering))).toBe(expected);
});

test('columns from top to bottom, from right to left', async () => {
  const column = (x: number, text: string) => `BT /F2 12 Tf ${x} 700 Td <${hex(text)}> Tj ET`;
  const content = `${column(300, '日本語の文書')} ${column(280, '第二の行')}`;
  const font = asianFont('UniJIS-UCS2-V', 'Japan1');
  expect(await textOf({ content, fonts: '/F2 6 0 R' }, font)).toBe('日本語の文書\n第二の行');
});

/** A font of the given characters. Lam-alef is one glyph of two characters. */
function fontOf(text: string): PdfObject[] {
  const codes = [...new Set(text)].map((char) => `<${hex(char)}> <${hex(char.normalize('NFKC'))}>`);
  const stream = `begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange ${codes.length} beginbfchar\n${codes.join('\n')}\nendbfchar endcmap`;
  return [
    {
      dictionary:
        '/Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[7 0 R]/ToUnicode 9 0 R',
    },
    {
      dictionary:
        '/Type/Font/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor 8 0 R/DW 600',
    },
    { dictionary: DESCRIPTOR },
    { dictionary: '', stream },
  ];
}

/** As it is painted from left to right: letters turned around, numbers not. */
const painted = (text: string) =>
  [...text]
    .reverse()
    .join('')
    .replace(/\d[\d/-]*\d/g, (number) => [...number].reverse().join(''));

test.for([
  ['Hebrew with a date', 'שלום עולם 12/05/2024 סוף'],
  ['Arabic with a number and lam-alef', 'الرقم 523-45-6781 الﻻسم'],
])('%s, from right to left', async ([, text = '']) => {
  const content = `BT /F2 12 Tf 72 700 Td <${hex(painted(text))}> Tj ET`;
  const found = await textOf({ content, fonts: '/F2 6 0 R' }, fontOf(text));
  expect(found).toBe(text.normalize('NFKC'));
});

test('text beyond the crop box', async () => {
  const content = 'BT /F1 12 Tf 72 700 Td (outside) Tj 0 -500 Td (inside) Tj ET';
  expect(await textOf({ content, entries: '/CropBox[0 0 300 300]' })).toBe('outside\ninside');
});

test('glyphs set one by one, in cells and with wider gaps between words', async () => {
  const cells = Array.from('ID: 523-45-6781', (char, at) => `1 0 0 1 ${72 + at * 8} 700 Tm (${char}) Tj`);
  expect(await textOf({ content: `BT /F1 12 Tf ${cells.join(' ')} ET` })).toBe('ID: 523-45-6781');
  const apart = '[(4)-300(5)-300(3)-300(9)-900(7201)-900(8836)-900(4512)] TJ';
  expect(await textOf({ content: `BT /F1 12 Tf 72 650 Td ${apart} ET` })).toBe('4539 7201 8836 4512');
  const heading = '[(L)-250(e)-250(t)-250(t)-250(e)-250(r)-900(o)-250(n)-250(e)] TJ';
  expect(await textOf({ content: `BT /F1 12 Tf 72 650 Td ${heading} ET` })).toBe('Letter one');
});

test('columns of single digits stay apart', async () => {
  const cells = Array.from('12345', (char, at) => `1 0 0 1 ${72 + at * 60} 700 Tm (${char}) Tj`);
  expect(await textOf({ content: `BT /F1 12 Tf ${cells.join(' ')} ET` })).toBe('1 2 3 4 5');
});

test.for([
  ['a word', ['The documenta-', 'tion of it'], 'The documentation of it'],
  ['a name with a hyphen', ['Anne Meyer-', 'Schmidt'], 'Anne Meyer-Schmidt'],
  ['a number after its hyphen', ['is 523-45-', '6781 now'], 'is 523-45-6781 now'],
  ['an address after the @', ['Mail ann.meyer@', 'example.com'], 'Mail ann.meyer@example.com'],
  ['an address in its domain', ['Mail ann.meyer@exam', 'ple.com'], 'Mail ann.meyer@example.com'],
  [
    'an IBAN',
    ['to IBAN DE98 3704 0044', '0927 3155 80 until Friday next'],
    'to IBAN DE98 3704 0044 0927 3155 80 until Friday next',
  ],
])('%s that is broken over lines', async ([, texts, expected]) => {
  expect(await textOf(lines(...(texts as string[])))).toBe(expected);
});

test.for([
  ['numbers in rows', ['4539 7201', '8836 4512']],
  ['a list of addresses', ['ann@example.com', 'bob@example.com']],
  ['a dash and a capital', ['Total -', 'Next']],
])('%s stay on their lines', async ([, texts]) => {
  expect(await textOf(lines(...(texts as string[])))).toBe((texts as string[]).join('\n'));
});

test('a drop cap belongs to its word', async () => {
  const content = 'BT /F1 36 Tf 72 680 Td (T) Tj /F1 12 Tf 24 16 Td (he quick fox) Tj 0 -14 Td (jumps) Tj ET';
  expect(await textOf({ content })).toBe('The quick fox\njumps');
});
