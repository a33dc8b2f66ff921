import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { iworkXml, stored } from '../../../support/documents/iwork.ts';
import { withDirectory, zip } from '../../../support/documents/packages.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'file', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

const available = (text: string) => ({ state: 'available', format: 'iwork', text, reason: null });

const body = (paragraphs: string) =>
  `<sf:text-storage><sf:text-body><sf:section><sf:layout>${paragraphs}</sf:layout></sf:section></sf:text-body></sf:text-storage>`;
const p = (text: string) => `<sf:p sf:style="x">${text}</sf:p>`;

test('Pages: properties, comments, headers, footnotes, body with links, boxes', async () => {
  const bytes = iworkXml(
    'index.xml',
    `<sl:document>
      <sl:stylesheet><sf:styles><sf:string sfa:string="Helvetica"/></sf:styles></sl:stylesheet>
      <sf:metadata><sf:title><sf:string sfa:string="The title"/></sf:title><sf:authors><sf:string sfa:string="Ann"/></sf:authors></sf:metadata>
      <sl:section-prototypes><sl:prototype>${body(p('<sf:ghost-text>Write here</sf:ghost-text>'))}</sl:prototype></sl:section-prototypes>
      <sf:annotations><sf:annotation><sf:text>${body(p('A comment'))}</sf:text></sf:annotation></sf:annotations>
      <sf:headers><sf:header>${body(p('Page<sf:tab/><sf:page-number sf:value="iv"/>'))}</sf:header></sf:headers>
      <sf:footnotes>${body(p('<sf:footnote-mark sf:mark="1"/> A note'))}</sf:footnotes>
      ${body(`${p('4111<sf:span> 1111</sf:span><sf:footnote sf:index="0"/> and<sf:lnbr/>more<sf:br/>')}${p('See <sf:link href="https://e.org">here</sf:link> now')}`)}
      <sl:drawables><sl:page-group><sf:drawable-shape><sf:style><sf:string sfa:string="no"/></sf:style><sf:text>${body(p('In a box'))}</sf:text></sf:drawable-shape></sl:page-group></sl:drawables>
    </sl:document>`,
  );
  const lines = [
    'The title',
    'Ann',
    'A comment',
    'Page\tiv',
    '1 A note',
    '4111 1111 and',
    'more',
    'See here now',
    'https://e.org',
    'In a box',
  ];
  expect(await read(bytes)).toEqual(available(lines.join('\n')));
});

const workspace = (cells: string) =>
  `<ls:document><ls:workspace-array><ls:workspace ls:workspace-name="Payroll"><sf:tabular-info><sf:tabular-model sf:name="People"><sf:grid sf:numrows="9" sf:numcols="3"><sf:datasource>${cells}</sf:datasource></sf:grid></sf:tabular-model></sf:tabular-info></ls:workspace></ls:workspace-array></ls:document>`;

test('Numbers: sheets, tables, cells of every kind in their rows', async () => {
  const cells = `
    <sf:t><sf:ct sfa:s="Name"/></sf:t><sf:t><sf:ct><sf:so><sf:text-body>${p('in <sf:span>bold</sf:span>')}</sf:text-body></sf:so></sf:ct></sf:t><sf:g/>
    <sf:n sf:v="4111111111111111"/><sf:n sf:v="0.30000000000000004"/><sf:d sf:cell-date="2010-05-12T00:00:00+0000"/>
    <sf:d sf:cell-date="2010-05-12T10:30:00+0000"/><sf:n sf:v="7" sf:ct="256"/>
    <sf:f><sf:fo sf:fs="=1+1"/><sf:r><sf:rn sf:v="2"/></sf:r></sf:f><sf:f><sf:r><sf:rt><sf:ct sfa:s="so"/></sf:rt></sf:r></sf:f>
    <sf:pm><sf:menu-choices><sf:t sfa:ID="c1"><sf:ct sfa:s="red"/></sf:t><sf:t sfa:ID="c2"><sf:ct sfa:s="blue"/></sf:t></sf:menu-choices><sf:proxied-cell-ref sfa:IDREF="c2"/></sf:pm>
    <sf:cb sf:v="true"/>`;
  const lines = [
    'Payroll',
    'People',
    'Name\tin bold',
    '4111111111111111\t0.3\t2010-05-12',
    '2010-05-12 10:30',
    '7\t2\tso',
    'blue\ttrue',
  ];
  expect(await read(iworkXml('index.xml', workspace(cells)))).toEqual(available(lines.join('\n')));
});

test('cells that say where they stand', async () => {
  const cells = `<sf:text-cell sf:row="0" sf:col="0"><sf:cell-text sfa:string="a"/></sf:text-cell><sf:number-cell sf:row="0" sf:col="2" sf:value="5"/><sf:date-cell sf:row="1" sf:col="0" sf:cell-date="2010-05-12T00:00:00"/>`;
  expect(await read(iworkXml('index.xml', workspace(cells)))).toEqual(
    available('Payroll\nPeople\na\t5\n2010-05-12'),
  );
});

const slide = `<key:slide><key:title-placeholder><key:text>${body(p('The title'))}</key:text></key:title-placeholder><key:notes>${body(p('What I say'))}</key:notes></key:slide>`;
const master = `<key:master-slide><key:page><sf:layers><sf:layer><sf:drawables><sf:shape><sf:text>${body(p('Confidential'))}</sf:text></sf:shape></sf:drawables></sf:layer></sf:layers></key:page><key:title-placeholder>${body(p('Double-click to edit'))}</key:title-placeholder></key:master-slide>`;
const presentation = `<key:presentation><key:theme-list><key:theme><key:master-slides>${master}</key:master-slides></key:theme></key:theme-list><key:slide-list>${slide}</key:slide-list><key:metadata><key:title><key:string sfa:string="A talk"/></key:title></key:metadata></key:presentation>`;

test('Keynote: slides with their notes, what a master adds, properties', async () => {
  expect(await read(iworkXml('index.apxl', presentation))).toEqual(
    available('Confidential\nThe title\nWhat I say\nA talk'),
  );
});

test('the first Keynote, with a packed index in a folder', async () => {
  const oldest =
    '<presentation><theme><master-slides><master-slide><drawables><title><content><div><span>Type here</span></div></content></title></drawables></master-slide></master-slides></theme><slide-list><slide><drawables><title><content><div><span>First </span><span>words</span></div></content></title></drawables><notes><div><span>A note</span></div></notes></slide></slide-list></presentation>';
  const bytes = stored({
    'Talk.key/presentation.apxl.gz': gzipSync(oldest),
    'Talk.key/Contents/PkgInfo': 'x',
  });
  expect(await read(bytes)).toEqual(available('First words\nA note'));
});

test('an index.xml that no document of iWork lies around is a file in an archive', async () => {
  expect(await read(zip({ 'index.xml': '<page>words</page>' }))).toMatchObject({ format: 'zip' });
  expect(await read(zip({ 'index.xml': '<a/>', 'QuickLook/Thumbnail.jpg': 'x' }))).toMatchObject({
    format: 'iwork',
  });
});

test('an archive with a version history and no index is an archive', async () => {
  const members = { 'buildVersionHistory.plist': '<plist/>', 'a.txt': 'read' };
  expect(await read(zip(members))).toMatchObject({
    format: 'zip',
    text: expect.stringMatching(/a\.txt\nread$/),
  });
});

test("a document with a password says so in its members' method alone", async () => {
  const sealed = withDirectory(iworkXml('index.xml', '<a/>'), (data, record) => {
    data.writeUInt16LE(0x636c, record + 10);
  });
  expect(await read(sealed)).toEqual({ state: 'unsupported', format: 'iwork', reason: 'encrypted' });
});

test('what breaks off leaves what came before', async () => {
  const broken = iworkXml('index.xml', `<sl:document>${p('kept')}<sf:p>cut`);
  expect(await read(broken)).toMatchObject({ state: 'partial', reason: 'damaged', text: 'kept\ncut' });
  const packed = gzipSync(`<sl:document>${p('words that are kept')}${'<x y="z"/>'.repeat(9)}</sl:document>`);
  const cut = stored({
    'index.xml.gz': packed.subarray(0, packed.length - 12),
    'buildVersionHistory.plist': 'x',
  });
  expect(await read(cut)).toMatchObject({ state: 'partial', reason: 'damaged', text: 'words that are kept' });
});
