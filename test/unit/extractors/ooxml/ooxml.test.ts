import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import {
  docx,
  docxWithBody,
  paragraph,
  pptx,
  shape,
  xlsx,
  zip,
} from '../../../support/documents/packages.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'file', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

const available = (format: string, text: string) => ({ state: 'available', format, text, reason: null });

test('a document: runs join, paragraphs part, cells by tabs, deleted text, link fields', async () => {
  const body = `
    <w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>4111 1111 </w:t></w:r><w:r><w:t>1111</w:t><w:tab/><w:t>end</w:t></w:r></w:p>
    <w:tbl><w:tr><w:tc><w:p><w:r><w:t>A</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>B</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
    <w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r></w:p>
    <w:p><w:r><w:t>Page </w:t></w:r><w:r><w:fldChar/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar/></w:r><w:r><w:t>1</w:t></w:r></w:p>
    <w:p><w:r><w:fldChar/></w:r><w:r><w:instrText>HYPERLINK "https://e.org"</w:instrText></w:r><w:r><w:fldChar/><w:t>here</w:t></w:r></w:p>`;
  expect(await read(docxWithBody(body))).toEqual(
    available('docx', '4111 1111 1111\tend\nA\tB\ngonea\nb\nPage 1\nHYPERLINK "https://e.org"\nhere'),
  );
});

test('a document: how words are spoken comes after them; variables and mail merge', async () => {
  const ruby = (base: string, spoken: string) =>
    `<w:r><w:ruby><w:rt><w:r><w:t>${spoken}</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>${base}</w:t></w:r></w:rubyBase></w:ruby></w:r>`;
  const settings =
    '<w:settings><w:zoom w:val="100"/><w:docVar w:name="Client" w:val="Ann"/><w:mailMerge><w:query w:val="SELECT * FROM staff"/></w:mailMerge></w:settings>';
  const body = `<w:p>${ruby('東', 'とう')}${ruby('京', 'きょう')}<w:r><w:t>都</w:t></w:r></w:p>`;
  expect(await read(docxWithBody(body, { 'word/settings.xml': settings }))).toEqual(
    available('docx', '東京都 とうきょう\nClient\nAnn\nSELECT * FROM staff'),
  );
});

test('a document: drawings once, alternative texts, WordArt', async () => {
  const body = `<w:p><w:r><mc:AlternateContent><mc:Choice><wp:docPr descr="a chart" title="Q3"/>
    <w:txbxContent>${paragraph('box')}</w:txbxContent></mc:Choice>
    <mc:Fallback><w:txbxContent>${paragraph('box')}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>
    <w:p><w:pict><v:shape href="https://v.org"><v:textpath string="DRAFT"/></v:shape></w:pict></w:p>`;
  expect(await read(docxWithBody(body))).toEqual(available('docx', 'a chart\nQ3\nbox\nhttps://v.org\nDRAFT'));
});

test('a document: every part with text, in the order of a reader', async () => {
  const parts = {
    'word/styles.xml': '<w:t>never</w:t>',
    'word/charts/chart1.xml':
      '<c:chart><c:cat><c:pt><c:v>March</c:v></c:pt><c:pt><c:v>April</c:v></c:pt></c:cat></c:chart>',
    'word/diagrams/data1.xml': '<d><dgm:pt><a:p><a:t>Boss</a:t></a:p></dgm:pt></d>',
    'word/comments.xml': `<w:comments><w:comment w:author="Ann">${paragraph('a comment')}</w:comment></w:comments>`,
    'word/footnotes.xml': `<w:footnotes>${paragraph('a note')}</w:footnotes>`,
    'word/header1.xml': `<w:hdr>${paragraph('a header')}</w:hdr>`,
    'word/afchunk.htm': '<p>imported <b>page</b></p>',
    'word/document.xml': `<w:document>${paragraph('body')}</w:document>`,
    'word/_rels/document.xml.rels':
      '<Relationships><Relationship Target="https://link.org" TargetMode="External"/><Relationship Target="styles.xml"/></Relationships>',
    'docProps/core.xml': '<c><dc:title>The title</dc:title></c>',
    'docProps/app.xml': '<P><Company>The company</Company><Pages>7</Pages></P>',
    'docProps/custom.xml': '<P><property name="Case"><vt:lpwstr>4711</vt:lpwstr></property></P>',
    'customXml/item1.xml': '<d><x>bound data</x></d>',
  };
  const order =
    'body|a header|a note|Ann|a comment|bound data|imported page|March\tApril|Boss|The company|The title|Case|4711|https://link.org';
  expect(await read(docx(parts))).toEqual({
    ...available('docx', order.replaceAll('|', '\n')),
    title: 'The title',
  });
});

test('a workbook: every kind of cell, hidden sheets, numbers as they are looked for', async () => {
  const rows = `<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="inlineStr"><is><t>inline</t></is></c></row>
    <row hidden="1"><c s="1"><v>30819</v></c><c s="2"><v>123456789</v></c><c><v>1.23456789012345E+14</v></c><c t="str"><f>HYPERLINK("https://f.org")</f><v>go</v></c></row>`;
  const more = {
    'xl/sharedStrings.xml':
      '<sst><si><r><t>Jane </t></r><r><t>Doe</t></r></si><si><t>x</t><rPh><t>no</t></rPh></si></sst>',
    'xl/styles.xml':
      '<s><numFmts><numFmt numFmtId="164" formatCode="000\\-00\\-0000"/></numFmts><cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></s>',
    'xl/comments1.xml':
      '<comments><authors><author>Ann</author></authors><comment><text><r><t>a comment</t></r></text></comment></comments>',
    'xl/pivotCache/pivotCacheDefinition1.xml': '<p><s v="cached row"/></p>',
    'xl/connections.xml': '<c><dbPr connection="Server=db.example.org"/></c>',
    'xl/worksheets/sheet2.xml':
      '<worksheet><headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Secret&amp;P</oddHeader></headerFooter></worksheet>',
  };
  const lines = [
    'Payroll',
    'Jane Doe\tx no\tinline',
    '1984-05-17\t123-45-6789\t123456789012345\tgo HYPERLINK("https://f.org")',
    'Secret',
    'Ann',
    'a comment',
    'Server=db.example.org',
    'cached row',
  ];
  expect(await read(xlsx(rows, more))).toEqual(available('xlsx', lines.join('\n')));
});

test('a presentation: slides by number, notes, tables, master text without prompts', async () => {
  const parts = {
    'ppt/slides/slide10.xml': `<p:sld show="0">${shape('ten')}</p:sld>`,
    'ppt/slides/slide2.xml': `<p:sld>${shape('two', '<p:ph type="title"/>')}<a:tbl><a:tr><a:tc><a:p><a:t>A</a:t></a:p></a:tc><a:tc><a:p><a:t>B</a:t></a:p></a:tc></a:tr></a:tbl></p:sld>`,
    'ppt/notesSlides/notesSlide1.xml': `<p:notes>${shape('note')}</p:notes>`,
    'ppt/comments/comment1.xml': '<p:cmLst><p:cm><p:text>comment</p:text></p:cm></p:cmLst>',
    'ppt/slideMasters/slideMaster1.xml': `<p:sldMaster>${shape('Click to edit', '<p:ph/>')}<p:pic><p:ph/></p:pic>${shape('Confidential')}</p:sldMaster>`,
  };
  expect(await read(pptx(parts))).toEqual(available('pptx', 'two\nA\tB\nten\nnote\ncomment\nConfidential'));
});

test('a presentation: headers and footers of masters once, and who commented', async () => {
  const placeholder = (type: string, text: string) => shape(text, `<p:ph type="${type}"/>`);
  const master = `${placeholder('title', 'Click to edit')}${placeholder('ftr', 'For staff only')}${shape('drawn')}`;
  const number =
    '<p:sp><p:nvPr/><p:txBody><a:p><a:fld type="slidenum"><a:t>‹#›</a:t></a:fld></a:p></p:txBody></p:sp>';
  const parts = {
    'ppt/slides/slide1.xml': `<p:sld>${placeholder('ftr', 'For staff only')}</p:sld>`,
    'ppt/slideMasters/slideMaster1.xml': `<p:sldMaster>${master}${number}</p:sldMaster>`,
    'ppt/slideLayouts/slideLayout1.xml': `<p:sldLayout>${placeholder('ftr', 'For staff only')}${placeholder('dt', 'May 2026')}</p:sldLayout>`,
    'ppt/notesMasters/notesMaster1.xml': `<p:notesMaster>${placeholder('hdr', 'Notes header')}${placeholder('body', 'Click')}</p:notesMaster>`,
    'ppt/handoutMasters/handoutMaster1.xml': `<p:handoutMaster>${placeholder('hdr', 'Handout header')}${shape('on handouts')}</p:handoutMaster>`,
    'ppt/commentAuthors.xml': '<p:cmAuthorLst><p:cmAuthor name="Ann Lee" initials="AL"/></p:cmAuthorLst>',
  };
  const lines =
    'For staff only|Ann Lee|Handout header|on handouts|Notes header|May 2026|drawn|For staff only';
  const outcome = await read(pptx(parts));
  const found = 'text' in outcome ? outcome.text.split('\n') : [];
  expect(found.toSorted()).toEqual(lines.split('|').toSorted());
});

test('a document: what forms and content controls offer stands after the paragraph', async () => {
  const control = `<w:sdt><w:sdtPr><w:alias w:val="Department"/><w:showingPlcHdr/><w:dropDownList><w:listItem w:displayText="Payroll" w:value="1"/><w:listItem w:displayText="Legal" w:value="2"/></w:dropDownList></w:sdtPr><w:sdtContent><w:r><w:t>Choose one</w:t></w:r></w:sdtContent></w:sdt>`;
  const field = `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="no"/><w:helpText w:val="Help"/><w:statusText w:val="Status"/><w:ddList><w:result w:val="1"/><w:default w:val="0"/><w:listEntry w:val="Yes"/><w:listEntry w:val="No"/></w:ddList><w:textInput><w:default w:val="Name"/></w:textInput></w:ffData></w:fldChar></w:r>`;
  const date =
    '<w:sdt><w:sdtPr><w:date w:fullDate="2026-05-01T00:00:00Z"/></w:sdtPr><w:sdtContent><w:r><w:t>1 May</w:t></w:r></w:sdtContent></w:sdt>';
  const body = `<w:p><w:r><w:t>Of </w:t></w:r>${control}<w:r><w:t> on </w:t></w:r>${date}${field}<w:r><w:t>.</w:t></w:r></w:p>${paragraph('next')}`;
  const lines = 'Of Choose one on 1 May.|Department|Payroll|Legal|Help|Status|Yes|No|Name|next';
  expect(await read(docxWithBody(body))).toEqual(available('docx', lines.replaceAll('|', '\n')));
});

test('every choice of a long list is read, within the bound on characters', async () => {
  const choices = Array.from({ length: 3_000 }, (_, at) => `<w:listItem w:displayText="Person ${at}"/>`);
  const list = `<w:sdt><w:sdtPr><w:dropDownList>${choices.join('')}</w:dropDownList></w:sdtPr></w:sdt>`;
  const file = docxWithBody(paragraph('x').replace('</w:p>', `${list}</w:p>`));
  expect(await read(file)).toMatchObject({ state: 'available', text: expect.stringMatching(/Person 2999$/) });
  expect(await read(file, { maxCharacters: 500 })).toMatchObject({
    state: 'partial',
    reason: 'output_bound',
    text: expect.stringMatching(/^x\nPerson 0\nPerson 1\n.{440,}/s),
  });
});

test('parts in UTF-16, names with backslashes and in capitals', async () => {
  const utf16 = Buffer.from(`\ufeff<w:document>${paragraph('wide ü')}</w:document>`, 'utf16le');
  const bytes = zip({ '[Content_Types].xml': '<T/>', 'WORD\\Document.xml': utf16 });
  expect(await read(bytes)).toEqual(available('docx', 'wide ü'));
});

test('output stops at the bound', async () => {
  const long = docxWithBody(paragraph('word ').repeat(1000));
  expect(await read(long, { maxCharacters: 50 })).toMatchObject({ state: 'partial', reason: 'output_bound' });
  expect(
    await read(xlsx('<row><c t="str"><v>abc</v></c></row>'.repeat(1000)), { maxCharacters: 50 }),
  ).toMatchObject({
    state: 'partial',
    reason: 'output_bound',
    text: expect.stringMatching(/^Payroll\nabc\nabc/),
  });
});

test('a part that breaks off leaves what came before it', async () => {
  const broken = docx({ 'word/document.xml': `<w:document>${paragraph('kept')}<w:p><w:t>lost` });
  expect(await read(broken)).toMatchObject({ state: 'partial', reason: 'damaged', text: 'kept\nlost' });
  expect(await read(docx({ 'word/document.xml': '<<<' }))).toMatchObject({
    state: 'failed',
    reason: 'corrupt',
  });
});
