import { gzipSync, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { extract } from '../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../core/extractors/pool/extraction-pool.ts';
import { docxWithBody, paragraph, pptx, shape, xlsx, zip } from '../../support/documents/packages.ts';
import { drawn, pngOf } from '../../support/documents/picture.ts';

const read = (name: string, bytes: Uint8Array, bounds = {}) =>
  extract({ name, mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

const scan = pngOf(drawn('THE LOCAL HOTEL', 8));
const icon = pngOf(drawn('A'));
const TEXT = 'a text that is long enough to be the content of a page';

const words = (text: string) => Buffer.from(text, 'latin1');
const p7m = Buffer.from('308006092a864886f70d010703a0800000', 'hex');
const feather = Buffer.concat([Buffer.from('FEA1'), Buffer.alloc(64)]);
const arj = Buffer.concat([words('\x60\xea'), Buffer.alloc(64)]);
const wim = Buffer.alloc(1_024);
wim.write('MSWIM\0');

const mailWith = (name: string, attached: Uint8Array, type = 'application/octet-stream', body = 'hello') =>
  Buffer.from(
    [
      'From: a@example.org',
      'To: b@example.org',
      'Subject: one',
      'Content-Type: multipart/mixed; boundary=x',
      ...['', '--x', '', body, '--x'],
      `Content-Type: ${type}; name="${name}"`,
      `Content-Disposition: attachment; filename="${name}"`,
      ...['Content-Transfer-Encoding: base64', '', Buffer.from(attached).toString('base64'), '--x--', ''],
    ].join('\r\n'),
  );

const slideShowing = (picture: string) =>
  `<Relationships><Relationship Type="http://x/image" Target="../media/${picture}"/></Relationships>`;

const unsupported = (reason: string, unreadParts: number) => ({ state: 'unsupported', reason, unreadParts });
const partial = (reason: string, unreadParts: number) => ({ state: 'partial', reason, unreadParts });

test('of a mail the first reason in the order of the reference is given', async () => {
  const sealed = mailWith('smime.p7m', p7m, 'application/pkcs7-mime').toString('latin1');
  const further = [
    '--x',
    'Content-Type: text/plain; name=b.txt',
    'Content-Disposition: attachment',
    '',
    'two',
    '',
  ];
  const bytes = words(sealed.replace(/--x--\r\n$/, [...further, '--x--', ''].join('\r\n')));
  expect(await read('a.eml', bytes)).toMatchObject({ state: 'partial', reason: 'encrypted' });
  expect(await read('a.eml', bytes, { maxMembers: 1 })).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
  });
});

test('a damaged file inside comes before the encoding of the text around it', async () => {
  const page = words(
    '<html><body>G\xfcne\xfe <img src="data:application/zip;base64,UEsDBA=="></body></html>',
  );
  expect(await read('a.html', page)).toMatchObject({ state: 'partial', reason: 'damaged' });
});

describe('a file of which nothing was read is never available', () => {
  test('a picture without OCR is unsupported, and the reason names the setting', async () => {
    expect(await read('scan.png', scan)).toEqual({
      state: 'unsupported',
      format: 'image',
      reason: 'ocr_off',
    });
  });

  test.for<[string, Uint8Array]>([
    [
      'a document of pictures',
      zip({
        '[Content_Types].xml': '<T/>',
        'word/document.xml':
          '<w:document><wp:docPr descr="A picture of a hotel, described by a program"/></w:document>',
        'word/media/image1.png': scan,
        'docProps/core.xml': '<cp:coreProperties><dc:title>Scan 1</dc:title></cp:coreProperties>',
      }),
    ],
    [
      'a presentation of pictures',
      zip({
        '[Content_Types].xml': '<T/>',
        'ppt/presentation.xml': '<p:presentation/>',
        'ppt/slides/slide1.xml': '<p:sld><p:pic/></p:sld>',
        'ppt/slides/_rels/slide1.xml.rels': slideShowing('image1.png'),
        'ppt/slideLayouts/slideLayout1.xml': `<p:sldLayout>${shape('Company')}</p:sldLayout>`,
        'ppt/media/image1.png': scan,
      }),
    ],
    [
      'a workbook of pictures',
      zip({
        '[Content_Types].xml': '<T/>',
        'xl/workbook.xml': '<workbook><sheets><sheet name="Payroll"/></sheets></workbook>',
        'xl/worksheets/sheet1.xml': '<worksheet/>',
        'xl/media/image1.png': scan,
      }),
    ],
    [
      'an OpenDocument text of pictures',
      zip({
        mimetype: 'application/vnd.oasis.opendocument.text',
        'content.xml': '<office:document-content/>',
        'Pictures/1.png': scan,
        'meta.xml': '<office:document-meta><dc:title>Scan 1</dc:title></office:document-meta>',
        'META-INF/manifest.xml': '<manifest/>',
      }),
    ],
    [
      'a book of pictures',
      zip({
        mimetype: 'application/epub+zip',
        'META-INF/container.xml': '<container/>',
        'a.xhtml': '<html><img src="a.png"/></html>',
        'a.png': scan,
      }),
    ],
    ['rich text of pictures', words(`{\\rtf1{\\pict\\pngblip ${Buffer.from(scan).toString('hex')}}}`)],
    [
      'a page of pictures',
      words(`<html><img src="data:image/png;base64,${Buffer.from(scan).toString('base64')}"></html>`),
    ],
    [
      'a document with no more than an icon',
      zip({ '[Content_Types].xml': '<T/>', 'word/media/a.png': icon }),
    ],
  ])('%s', async ([, bytes]) => {
    expect(await read('file', bytes)).toMatchObject(unsupported('ocr_off', 1));
  });

  test('names and properties are kept, though they are no content', async () => {
    const bytes = zip({
      '[Content_Types].xml': '<T/>',
      'word/media/image1.png': scan,
      'docProps/core.xml': '<cp:coreProperties><dc:title>Passport</dc:title></cp:coreProperties>',
    });
    expect(await read('file', bytes)).toMatchObject({ text: 'Passport\nimage1.png', title: 'Passport' });
  });

  test('an empty file and an empty document were read completely', async () => {
    for (const bytes of [new Uint8Array(), docxWithBody(''), xlsx(''), words('{\\rtf1}')]) {
      expect(await read('a.txt', bytes)).toMatchObject({ state: 'available', reason: null });
    }
  });
});

describe('a file with a part that was not read is partial', () => {
  test.for<[string, Uint8Array, string, number]>([
    ['a mail with a file of columns', mailWith('a.feather', feather), 'unknown_format', 1],
    ['a mail with an encrypted message', mailWith('smime.p7m', p7m), 'encrypted', 1],
    ['a mail with only a picture', mailWith('scan.png', scan, 'image/png', ''), 'ocr_off', 1],
    ['an archive with a file of columns', zip({ 'a.txt': TEXT, 'a.feather': feather }), 'unknown_format', 1],
    ['an archive with an encrypted message', zip({ 'a.txt': TEXT, 'smime.p7m': p7m }), 'encrypted', 1],
    ['an archive with a wim', zip({ 'a.txt': TEXT, 'x.wim': wim }), 'unknown_format', 1],
    ['an archive with an arj and a wim', zip({ 'a.arj': arj, 'x.wim': wim }), 'unknown_format', 2],
    ['a compressed wim', gzipSync(wim), 'unknown_format', 1],
    ['an archive with pictures', zip({ 'a.png': scan, 'b.png': scan, 'c.txt': TEXT }), 'ocr_off', 2],
    ['an archive with a broken document', zip({ 'a.pdf': '%PDF-1.7\nnothing', 'b.txt': TEXT }), 'damaged', 1],
    [
      'an archive in archives',
      zip({ 'a.zip': zip({ 'b.zip': zip({ 'c.zip': zip({ 'd.txt': TEXT }) }) }) }),
      'member_bound',
      1,
    ],
    ['an archive in an archive', zip({ 'a.zip': zip({ 'b.arj': arj, 'x.wim': wim }) }), 'unknown_format', 2],
    [
      'a document with an embedded file',
      zip({
        '[Content_Types].xml': '<T/>',
        'word/document.xml': paragraph(TEXT),
        'word/embeddings/film.bin': arj,
      }),
      'unknown_format',
      1,
    ],
  ])('%s', async ([, bytes, reason, parts]) => {
    expect(await read('file', bytes)).toMatchObject(partial(reason, parts));
  });

  test('the reason is the one that most needs an act', async () => {
    const bytes = zip({ 'a.arj': arj, 'b.png': scan, 'c.pgp': '-----BEGIN PGP MESSAGE-----\n\nhQEMA\n' });
    expect(await read('file', bytes)).toMatchObject(partial('encrypted', 3));
  });

  test('a slide that is a picture, beside slides with words', async () => {
    const bytes = pptx({
      'ppt/slides/slide1.xml': `<p:sld>${shape(TEXT)}</p:sld>`,
      'ppt/slides/_rels/slide1.xml.rels': slideShowing('image1.png'),
      'ppt/slides/slide2.xml': '<p:sld><p:pic/></p:sld>',
      'ppt/slides/_rels/slide2.xml.rels': slideShowing('image2.png'),
    });
    const members = { 'ppt/media/image1.png': scan, 'ppt/media/image2.png': scan };
    expect(await read('file', bytes)).toMatchObject({ state: 'available' });
    expect(await read('file', withMembers(bytes, members))).toMatchObject(partial('ocr_off', 1));
  });
});

describe('a file whose parts were all read is available', () => {
  test.for<[string, Uint8Array]>([
    ['a mail with an icon', mailWith('logo.png', icon, 'image/png')],
    ['a signed mail', mailWith('smime.p7s', detachedSignature(), 'application/pkcs7-signature')],
    [
      'a document with words and a picture',
      zip({ '[Content_Types].xml': '<T/>', 'word/document.xml': paragraph(TEXT), 'word/media/a.png': scan }),
    ],
    ['an archive with an empty file', zip({ 'a.txt': TEXT, 'b.pdf': '' })],
  ])('%s', async ([, bytes]) => {
    const outcome = await read('file', bytes);
    expect(outcome).toMatchObject({ state: 'available', reason: null });
    expect(outcome).not.toHaveProperty('unreadParts');
  });

  test('a signature with content is no signature alone', async () => {
    const signed = Buffer.from('308006092a864886f70d010702a0800000', 'hex');
    const mail = mailWith('smime.p7s', signed, 'application/pkcs7-signature');
    expect(await read('file', mail)).toMatchObject(partial('damaged', 1));
  });
});

/** SignedData (RFC 5652) with version 1, one algorithm and no content. */
function detachedSignature(): Buffer {
  const signed = '020101310d300b0609608648016503040201300b06092a864886f70d010701';
  return Buffer.from(`308006092a864886f70d010702a0803080${signed}${'31'.repeat(20)}00000000`, 'hex');
}

function withMembers(archive: Uint8Array, members: Readonly<Record<string, Uint8Array>>): Uint8Array {
  return zip({ ...unzipSync(archive), ...members });
}
