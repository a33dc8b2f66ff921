import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { zip } from '../../../support/documents/packages.ts';

const read = (bytes: Uint8Array) =>
  extract({ name: 'file', mimeType: null, bytes }, DEFAULT_EXTRACTION.bounds);

const available = (text: string) => ({ state: 'available', format: 'epub', text, reason: null });

const CONTAINER = {
  'META-INF/container.xml': '<c><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></c>',
};
const PAGES = {
  'OPS/a.xhtml': '<html><body><p>chapter two</p></body></html>',
  'OPS/sub/b c.xml': '<html><style>no</style><body><p>chapter one</p></body></html>',
  'OPS/unused.xhtml': '<html><body><p>in no list</p></body></html>',
};
const BOOK = `<package><metadata><dc:title>The book</dc:title><dc:identifier>no</dc:identifier></metadata>
  <manifest><item id="two" href="a.xhtml"/><item id="one" href="sub/b%20c.xml"/><item id="toc" href="toc.ncx"/></manifest>
  <spine><itemref idref="one"/><itemref idref="two"/></spine></package>`;
const CONTENTS = '<ncx><navMap><navPoint><navLabel><text>First</text></navLabel></navPoint></navMap></ncx>';

test('chapters in reading order, whatever their names, then contents and properties', async () => {
  const bytes = zip({ ...CONTAINER, ...PAGES, 'OPS/book.opf': BOOK, 'OPS/toc.ncx': CONTENTS });
  expect(await read(bytes)).toEqual(available('chapter one\nchapter two\nFirst\nThe book'));
});

test('without a list of chapters every page is read', async () => {
  expect(await read(zip({ ...CONTAINER, ...PAGES }))).toEqual(available('chapter two\nin no list'));
});

test('encrypted chapters make an encrypted book, encrypted fonts do not', async () => {
  const sealed = (...names: string[]) =>
    zip({
      ...CONTAINER,
      ...PAGES,
      'OPS/book.opf': BOOK,
      'META-INF/encryption.xml': `<e>${names.map((name) => `<enc:CipherReference URI="${name}"/>`).join('')}</e>`,
    });
  expect(await read(sealed('OPS/a.xhtml', 'OPS/sub/b%20c.xml', 'OPS/toc.ncx'))).toEqual({
    state: 'unsupported',
    format: 'epub',
    reason: 'encrypted',
  });
  // A book that can be opened in part is not shown with ciphertext between its chapters.
  expect(await read(sealed('OPS/a.xhtml'))).toMatchObject({
    state: 'partial',
    reason: 'encrypted',
    text: 'chapter one\nThe book',
  });
  expect(await read(sealed('OPS/font.otf'))).toMatchObject({
    text: expect.stringMatching(/^chapter one\nchapter two/),
  });
});
