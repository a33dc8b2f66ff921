import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { docxWithBody, paragraph, zip } from '../../../support/documents/packages.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'file', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

const available = (format: string, text: string) => ({ state: 'available', format, text, reason: null });

const MANIFEST = { 'META-INF/manifest.xml': '<manifest:manifest/>' };

const content = (body: string) =>
  `<?xml version="1.0"?><office:document-content><office:automatic-styles><style:style/>x</office:automatic-styles><office:body>${body}</office:body></office:document-content>`;

const odf = (body: string, parts: Record<string, string | Uint8Array> = {}) =>
  zip({ ...MANIFEST, 'content.xml': content(body), ...parts });

test('a document: spans, spaces and tabs, notes, comments, deleted text, links, ruby', async () => {
  const body = `<text:tracked-changes><text:changed-region><text:deletion><office:change-info><dc:creator>Ann</dc:creator><dc:date>2026</dc:date></office:change-info><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>
    <text:h>Title</text:h>
    <text:p>4111<text:span> 1111</text:span><text:s text:c="3"/>x<text:tab/>y<text:line-break/>z</text:p>
    <text:p>See <text:a xlink:href="https://e.org">here</text:a> now</text:p>
    <text:p><text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>かん</text:ruby-text></text:ruby><text:ruby><text:ruby-base>字</text:ruby-base><text:ruby-text>じ</text:ruby-text></text:ruby></text:p>
    <text:p>word<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body></text:note></text:p>
    <text:p><office:annotation><dc:creator>Bob</dc:creator><text:p>a comment</text:p></office:annotation></text:p>
    <draw:frame><draw:text-box><text:p>box</text:p></draw:text-box><svg:title>alt title</svg:title><svg:desc>alt text</svg:desc></draw:frame>`;
  const lines = [
    'Ann',
    'gone',
    'Title',
    '4111 1111   x\ty',
    'z',
    'See here now',
    'https://e.org',
    '漢字',
    'かん',
    'じ',
    'word',
    'a note',
    'Bob',
    'a comment',
    'box',
    'alt title',
    'alt text',
  ];
  expect(await read(odf(body))).toEqual(available('odf', lines.join('\n')));
});

test('a workbook: sheets, cells by tabs, a cell that is repeated a million times once', async () => {
  const body = `<table:table table:name="Payroll"><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell table:number-columns-repeated="1000000"><text:p>B</text:p></table:table-cell></table:table-row>
    <table:table-row table:number-rows-repeated="1000000" table:visibility="collapse"><table:table-cell><text:p>hidden</text:p></table:table-cell></table:table-row></table:table>`;
  expect(await read(odf(body))).toEqual(available('odf', 'Payroll\nA\tB\nhidden'));
});

test('a number that a cell shows in part is written in full too', async () => {
  const cell = (value: string, shown: string) =>
    `<table:table-cell office:value="${value}"><text:p>${shown}</text:p></table:table-cell>`;
  const row = cell('4111111111111111', '4.11E+15') + cell('123456789', '123,456,789') + cell('0.5', '50%');
  expect(await read(odf(`<table:table-row>${row}</table:table-row>`))).toEqual(
    available('odf', '4.11E+15\n4111111111111111\t123,456,789\t50%'),
  );
});

test('headers and footers, objects, macros, properties; not what is no text', async () => {
  const bytes = odf('<text:p>body</text:p>', {
    'styles.xml':
      '<office:document-styles><office:styles>no</office:styles><office:master-styles><style:footer><text:p>footer</text:p></style:footer><draw:frame presentation:placeholder="true"><text:p>Click here</text:p></draw:frame></office:master-styles></office:document-styles>',
    'Object 1/content.xml': content('<chart:title><text:p>Chart</text:p></chart:title>'),
    'Object 2': docxWithBody(paragraph('inner document')),
    'Basic/Standard/Module1.xml': '<script:module>password = "x"</script:module>',
    'Pictures/object.png': 'no',
    'meta.xml':
      '<m><meta:generator>no</meta:generator><dc:title>The title</dc:title><meta:user-defined meta:name="Case">4711</meta:user-defined></m>',
  });
  const text = 'body\nfooter\nChart\npassword = "x"\nThe title\nCase\n4711\nobject 2\ninner document';
  expect(await read(bytes)).toMatchObject(available('odf', text));
});

test('an encrypted document says so in its manifest', async () => {
  const manifest =
    '<m><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></m>';
  expect(await read(zip({ 'META-INF/manifest.xml': manifest, 'content.xml': 'x' }))).toEqual({
    state: 'unsupported',
    format: 'odf',
    reason: 'encrypted',
  });
});

test('the same in one XML file', async () => {
  const flat = `<?xml version="1.0"?>\n<office:document office:mimetype="x"><office:meta><dc:title>T</dc:title></office:meta><office:body><text:p>flat</text:p><office:binary-data>AAAA</office:binary-data></office:body></office:document>`;
  expect(await read(Buffer.from(flat))).toEqual(available('fodf', 'T\nflat'));
});

test('output stops at the bound, and what breaks off leaves what came before', async () => {
  const long = odf('<text:p>word </text:p>'.repeat(1_000));
  expect(await read(long, { maxCharacters: 50 })).toMatchObject({ state: 'partial', reason: 'output_bound' });
  expect(
    await read(zip({ ...MANIFEST, 'content.xml': '<a><text:p>kept</text:p><text:p>lost' })),
  ).toMatchObject({
    state: 'partial',
    reason: 'damaged',
    text: 'kept\nlost',
  });
});

test('a presentation: headers, footers, and what is on masters of every kind', async () => {
  const styles =
    '<office:document-styles><office:master-styles><style:handout-master><draw:frame><draw:text-box><text:p>on handouts</text:p></draw:text-box></draw:frame></style:handout-master><style:master-page><draw:frame presentation:placeholder="true"><draw:text-box><text:p>Click to edit</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>on slides</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>on notes</text:p></draw:text-box></draw:frame></presentation:notes></style:master-page></office:master-styles></office:document-styles>';
  const body =
    '<office:presentation><presentation:header-decl>Head</presentation:header-decl><presentation:footer-decl>Foot</presentation:footer-decl><presentation:date-time-decl>May 2026</presentation:date-time-decl><draw:page><text:p>a slide</text:p></draw:page></office:presentation>';
  expect(await read(odf(body, { 'styles.xml': styles }))).toEqual(
    available('odf', 'Head\nFoot\nMay 2026\na slide\non handouts\non slides\non notes'),
  );
});
