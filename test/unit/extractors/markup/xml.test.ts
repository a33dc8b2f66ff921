import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';

const read = (name: string, content: string) =>
  extract({ name, mimeType: null, bytes: Buffer.from(content) }, DEFAULT_EXTRACTION.bounds);

const PROLOGUE = '<?xml version="1.0"?>';

test.for([
  [
    'elements',
    'a.xml',
    '<people><person><ssn>400010010</ssn><password>Zk83hd92kq1</password></person></people>',
    'ssn: 400010010\npassword: Zk83hd92kq1',
  ],
  ['a key and its value', 'web.config', '<c><add key="DbPassword" value="Zk8" /></c>', 'DbPassword: Zk8'],
  ['a name and the text', 'a.xml', '<c><property name="user">ann</property></c>', 'name: user\nuser: ann'],
  [
    'a property list',
    'Info.plist',
    `${PROLOGUE}<plist><dict><key>password</key><string>Lm9</string><key>on</key><true/></dict></plist>`,
    'password: Lm9\nkey: on',
  ],
  ['names before values', 'a.xml', '<p><name>pin</name><value>1234</value></p>', 'pin: 1234'],
  ['names that say nothing', 'a.xml', '<r><Cell><Data>A1</Data></Cell><v>2</v></r>', 'A1\n2'],
  ['names alone', 'a.xml', '<p><name>Ann Meyer</name><city>Bonn</city></p>', 'name: Ann Meyer\ncity: Bonn'],
  [
    'a file without a prologue or a known name',
    'settings',
    '<s><password>Lm93</password></s>',
    'password: Lm93',
  ],
])('data: %s', async ([, name = '', content = '', text]) => {
  expect(await read(name, content)).toEqual({ state: 'available', format: 'xml', text, reason: null });
});

const SENTENCE =
  'of which nobody knows more than what was written down in that year by all of the people of the town';

test.for([
  [
    'inline elements within sentences',
    '<article id="a1"><p>See <xref rid="b7">the <italic>first</italic> part</xref>, then <b>that</b>.</p><p>Next</p></article>',
    'See the first part, then that.\nNext',
  ],
  ['an inline element first', '<p><b>Name</b>: Ann <i>M</i>eyer</p>', 'Name: Ann Meyer'],
  ['paragraphs alone', `<book><title>Title</title><para>${SENTENCE}</para></book>`, `Title\n${SENTENCE}`],
])('a document: %s', async ([, content, text]) => {
  expect(await read('a.nxml', content ?? '')).toMatchObject({ state: 'available', format: 'xml', text });
});

test('a text that begins with a tag is no XML', async () => {
  expect(await read('a.txt', '<note> to myself\nbuy <b>')).toMatchObject({ format: 'text' });
});

test('broken and very deep data', async () => {
  expect(await read('a.xml', '<a><b>one</b><c>two')).toMatchObject({ text: 'b: one\ntwo' });
  const deep = `<a>text</a>${'<a>'.repeat(100_000)}`;
  expect(await read('a.xml', deep)).toMatchObject({ state: 'partial', reason: 'damaged' });
});

test('values in scripts of pages, without the rest of them', async () => {
  const page =
    '<html><body data-key="aB3dE5fG7h"><p>Map</p><script>var apiKey="glpat-aB3dE5fG7hJ9", x = 1; load("/a/b/c.js")</script></body></html>';
  expect(await read('a.html', page)).toMatchObject({
    ...{ state: 'available', text: 'Map\ndata-key = "aB3dE5fG7h"\napiKey = "glpat-aB3dE5fG7hJ9"' },
  });
});
