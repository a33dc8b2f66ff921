import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';

const read = (name: string, content: string | Uint8Array, bounds = {}) =>
  extract(
    { name, mimeType: null, bytes: typeof content === 'string' ? Buffer.from(content) : content },
    { ...DEFAULT_EXTRACTION.bounds, ...bounds },
  );

const available = (format: string, text: string) => ({ state: 'available', format, text, reason: null });

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

test.for<[string, Uint8Array]>([
  ['UTF-8', Buffer.from('Größe: 5 €')],
  ['UTF-8 with a mark', Buffer.from('\ufeffGröße: 5 €')],
  ['UTF-16 little-endian with a mark', Buffer.from('\ufeffGröße: 5 €', 'utf16le')],
  ['UTF-16 big-endian with a mark', utf16be('\ufeffGröße: 5 €')],
  ['UTF-16 little-endian without one', Buffer.from('Größe: 5 €', 'utf16le')],
  ['UTF-16 big-endian without one', utf16be('Größe: 5 €')],
  ['windows-1252', Buffer.from('Gr\xf6\xdfe: 5 \x80', 'latin1')],
])('plain text in %s', async ([, bytes]) => {
  expect(await read('a.txt', bytes)).toEqual(available('text', 'Größe: 5 €'));
});

const utf32 = (text: string, put: 'writeUInt32LE' | 'writeUInt32BE') =>
  Buffer.concat(
    Array.from(text, (char) => {
      const bytes = Buffer.alloc(4);
      bytes[put](char.codePointAt(0) ?? 0);
      return bytes;
    }),
  );

/** The platform only decodes, so this decodes every byte and every pair of bytes and looks the other way round. */
function encoded(text: string, label: string): Buffer {
  const decoder = new TextDecoder(label);
  const codes = new Map<string, number[]>();
  for (let lead = 0xff; lead >= 0x80; lead--) {
    for (let trail = 0xff; trail >= 0x40; trail--) {
      codes.set(decoder.decode(Uint8Array.of(lead, trail)), [lead, trail]);
    }
  }
  for (let byte = 0; byte < 0x100; byte++) codes.set(decoder.decode(Uint8Array.of(byte)), [byte]);
  return Buffer.from(Array.from(text).flatMap((char) => codes.get(char) ?? []));
}

const UNDECLARED: [string, string][] = [
  ['shift_jis', 'これは日本語のテキストです。'],
  ['shift_jis', '文章.txt'],
  ['euc-jp', 'これは日本語のテキストです。'],
  ['gbk', '个人身份证号码和地址'],
  ['euc-kr', '개인 정보 보호법에 관한 문서입니다'],
  ['big5', '這份文件包含客戶的個人資料，包括姓名、地址與電話號碼，請勿轉寄給其他人。'],
  ['windows-1251', 'Это документ содержит персональные данные граждан Российской Федерации'],
  ['koi8-r', 'Это документ содержит персональные данные граждан Российской Федерации'],
  ['iso-8859-7', 'Αυτό το έγγραφο περιέχει προσωπικά δεδομένα'],
  ['windows-1256', 'تحتوي هذه الوثيقة على بيانات شخصية'],
  [
    'windows-1250',
    'Proszę o przesłanie dokumentów dotyczących pracowników oraz ich wynagrodzeń, a także źródeł',
  ],
  ['windows-1252', 'Sehr geehrte Frau Müller, anbei die Übersicht der Gehälter für das nächste Jahr'],
  ['windows-1252', 'Les données personnelles des employés ont été transmises à la société'],
];

test.for(UNDECLARED)('undeclared text in %s: %s', async ([label, text]) => {
  expect(await read('a.txt', encoded(text, label))).toEqual(available('text', text));
});

test.for<[string, string]>([
  ['windows-1251', 'Иван, card 4111 1111 1111 1111'],
  ['windows-1255', 'דוד: david@firm.example'],
  ['windows-1254', 'Işıl Güneş, +90 212 555 01 23'],
  ['iso-8859-2', 'Tomáš, IBAN GB82 WEST 1234 5698 7654 32'],
])('a short text in %s is partial, and its ASCII is read: %s', async ([label, text]) => {
  const outcome = await read('a.txt', encoded(text, label));
  expect(outcome).toMatchObject({ state: 'partial', reason: 'unknown_encoding' });
  const ascii = text.match(/[ -~]{12,}/)?.[0];
  expect('text' in outcome && outcome.text).toContain(ascii);
});

const LONG = 'The meeting of the board is on Monday and the minutes are in the folder. '.repeat(190);

test.for(['£', '©', '10 – 20', '5 €', '§ 12', 'España'])(
  'a long text is read for sure despite %s',
  async (odd) => {
    const text = `${LONG}${odd} ${LONG}`;
    expect(await read('a.txt', encoded(text, 'windows-1252'))).toEqual(available('text', text));
  },
);

test.for(['10 – 20', '© 2024 Firma GmbH', '£5', '€ 20'])(
  'a short text with signs only is sure: %s',
  async (text) => {
    expect(await read('a.txt', encoded(text, 'windows-1252'))).toEqual(available('text', text));
  },
);

test.for(['10 złotych', 'Łódź'])('a sign in a word can be a letter of another page: %s', async (text) => {
  const outcome = await read('a.txt', encoded(text, 'windows-1250'));
  expect(outcome).toMatchObject({ state: 'partial', reason: 'unknown_encoding' });
});

test('a short page is partial only if it declares no encoding', async () => {
  const page = (head: string) => encoded(`<html>${head}<body>Güneş`, 'windows-1254');
  expect(await read('a.html', page(''))).toMatchObject({ state: 'partial', reason: 'unknown_encoding' });
  expect(await read('a.html', page('<meta charset=windows-1254>'))).toEqual(available('html', 'Güneş'));
});

test('a short text in UTF-16 without a mark, in one script beside ASCII', async () => {
  for (const text of ['Имя: Иван 4111', 'Όνομα 5']) {
    expect(await read('a.txt', Buffer.from(text, 'utf16le'))).toEqual(available('text', text));
    expect(await read('a.txt', utf16be(text))).toEqual(available('text', text));
  }
});

test('undeclared text in ISO-2022-JP', async () => {
  expect(await read('a.txt', '\x1b$BF|K\\8l\x1b(B')).toEqual(available('text', '日本語'));
});

test('UTF-32, and UTF-16 without a mark in a script that is not Latin', async () => {
  for (const put of ['writeUInt32LE', 'writeUInt32BE'] as const) {
    expect(await read('a.txt', utf32('Größe 😀 5', put))).toEqual(available('text', 'Größe 😀 5'));
    expect(await read('a.txt', utf32('\ufeffGröße', put))).toEqual(available('text', 'Größe'));
  }
  const japanese = '個人情報の保護に関する法律。東京都千代田区の住所と電話番号、\n'.repeat(4);
  expect(await read('a.txt', Buffer.from(japanese, 'utf16le'))).toEqual(available('text', japanese));
  expect(await read('a.txt', utf16be(japanese))).toEqual(available('text', japanese));
});

test('UTF-8 with one broken byte is still UTF-8', async () => {
  const bytes = Buffer.concat([
    Buffer.from('Größe Übung Straße Äpfel Öl Maß Fuß süß groß'),
    Buffer.from([0xff]),
  ]);
  expect(await read('a.txt', bytes)).toMatchObject({ text: expect.stringMatching(/^Größe Übung/) });
});

test('an empty file is an empty text whatever its name', async () => {
  expect(await read('a.docx', '')).toEqual(available('text', ''));
});

test('text past the bound is cut, without half a character', async () => {
  const cut = await read('a.txt', `${'a'.repeat(9)}😀😀`, { maxCharacters: 10 });
  expect(cut).toEqual({ state: 'partial', format: 'text', text: 'aaaaaaaaa\ufffd', reason: 'output_bound' });
  expect(await read('a.txt', 'a'.repeat(10), { maxCharacters: 10 })).toMatchObject({ state: 'available' });
});

test('CSV: cells by tabs, quotes resolved, stray quotes harmless', async () => {
  const csv = 'name;note\n"Doe; Jane";"said ""hi""\nthere"\n5" pipe;x\n';
  expect(await read('a.csv', csv)).toEqual(
    available('csv', 'name\tnote\nDoe; Jane\tsaid "hi" there\n5" pipe\tx\n'),
  );
  expect(await read('a.tsv', 'a,b\tc\n')).toEqual(available('csv', 'a,b\tc\n'));
});

test('JSON and Markdown are text; escapes in JSON are resolved', async () => {
  expect(await read('a.json', '{"name":"Jos\\u00e9\\nPaz"}')).toEqual(
    available('json', '{"name":"José\nPaz"}'),
  );
  expect(await read('a.md', '# Title\n')).toEqual(available('markdown', '# Title\n'));
});

test('XML: texts and attributes, no entity expands', async () => {
  expect(await read('a.xml', '<r xmlns="u"><p name="Ann" x:y="no">B &amp; C</p><q>D</q></r>')).toEqual(
    available('xml', 'name: Ann\nAnn: B & C\nq: D'),
  );
  const bomb = `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "${'ha'.repeat(100)}"><!ENTITY b "${'&a;'.repeat(1000)}">]><l>&b;</l>`;
  expect(await read('a', bomb)).toEqual(available('xml', ']>\nl: &b;'));
});

test('HTML: what a page shows, and where it leads', async () => {
  const page = `<!DOCTYPE html><html><head><title>T</title><style>x{}</style><script>var no</script>
    <meta name="keywords" content="k1"></head><body><p>See <a href="https://e.org/x">our
    offer</a> now<br>line</p><img alt="chart"><table><tr><td><p>A</p></td><td>B</td></tr><tr><td>C</td></tr></table>
    <iframe srcdoc="&lt;p&gt;inner&lt;/p&gt;"></iframe></body></html>`;
  expect(await read('page', page)).toEqual(
    available('html', 'T\nk1\nSee our offer now\nhttps://e.org/x\nline\nchart\nA\tB\nC\ninner'),
  );
});

test('HTML: comments and files carried inline, not scripts and pictures', async () => {
  const csv = Buffer.from('a;b\n1;2').toString('base64');
  const page = `<html><body><p>one<!-- old price --> two</p><!--[if mso]><b>no</b><![endif]--><script>/* no */</script>
    <img src="data:image/png;base64,AAAA"><a href="data:text/plain,inline%20text">x</a><embed src="data:text/csv;base64,${csv}"></body></html>`;
  expect(await read('a.html', page)).toMatchObject(
    available('html', 'one two\nold price\nx\ninline text\na\tb\n1\t2'),
  );
});

test('what no reader of a drawing or a page sees is not read', async () => {
  const drawing =
    '<svg:svg xmlns:svg="s"><svg:style>.no{}</svg:style><script>no()</script><text>yes</text></svg:svg>';
  expect(await read('a.svg', drawing)).toMatchObject(available('xml', 'yes'));
  // Elsewhere the same names are data.
  expect(await read('a.xml', '<shop><style>Art deco</style></shop>')).toMatchObject({
    text: 'style: Art deco',
  });
  const page = '<?xml version="1.0"?><html><a href="vbscript:no">yes</a><!-- <p>and</p> --></html>';
  expect(await read('a.html', page)).toMatchObject(available('html', 'yes\n<p>and</p>'));
});

test('a Word document in one XML file', async () => {
  const flat = `<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument><w:binData>AAAA</w:binData><w:body><w:p><w:r><w:t>fl</w:t></w:r><w:r><w:t>at</w:t></w:r></w:p></w:body></w:wordDocument>`;
  expect(await read('a.xml', flat)).toEqual(available('wordxml', 'flat'));
});

test('HTML in a declared encoding', async () => {
  const page = Buffer.concat([
    Buffer.from('<html><meta charset="windows-1251"><p>'),
    Buffer.from([0xcf, 0xf0]),
  ]);
  expect(await read('a.html', page)).toEqual(available('html', 'Пр'));
  expect(await read('a.html', '<meta charset="no-such-set"><p>ok')).toEqual(available('html', 'ok'));
});

const MAIL = [
  'From: Ann <ann@example.org>',
  'To: Bob <bob@example.org>',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=x',
  '',
  '--x',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Hello <b>Bob</b></p>',
  '--x',
  'Content-Type: application/pdf; name="salaries.pdf"',
  'Content-Disposition: attachment; filename="salaries.pdf"',
  'Content-Transfer-Encoding: base64',
  '',
  'AAAA',
  '--x--',
  '',
].join('\r\n');

test('mail: headers, body, names of attachments; claimed by its headers', async () => {
  const expected = 'Grüße\nAnn <ann@example.org>\nBob <bob@example.org>\nHello Bob\nsalaries.pdf';
  const unread = { state: 'partial', reason: 'unknown_format', unreadParts: 1 };
  expect(await read('a.eml', MAIL)).toMatchObject({ ...unread, format: 'eml', text: expected });
  for (const before of ['\ufeff', '\r\n\r\n', 'From a@b Thu Jan 1 00:00:00 2026\r\n', '>From a@b\r\n']) {
    expect(await read('note.eml', before + MAIL)).toMatchObject({ text: expect.stringContaining(expected) });
  }
  expect(await read('note', MAIL)).toMatchObject({ format: 'eml' });
  expect(await read('a.txt', 'From: me\nnot a header\n')).toMatchObject({ format: 'text' });
});

test('a mailbox is its messages; a letter that begins with From is a letter', async () => {
  const mbox = `From a@b Thu Jan  1 00:00:00 2026\n${MAIL}\nFrom a@b Thu Jan  1 00:00:00 2026\nSubject: two\n\nbody two\n`;
  const result = await read('a', mbox);
  expect(result).toMatchObject({ format: 'mbox', state: 'partial', unreadParts: 1 });
  expect(result).toMatchObject({ text: expect.stringMatching(/Grüße[\s\S]*Hello Bob[\s\S]*two\nbody two/) });
  expect(await read('a', mbox, { maxMembers: 1 })).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
  });
  expect(await read('a', 'From the desk of Ann\n')).toMatchObject({ format: 'text' });
});

test('a broken message in a mailbox costs itself, not those behind it', async () => {
  const within = 'Content-Type: multipart/mixed; boundary=b\n\n--b\n'.repeat(40);
  const message = (subject: string, rest: string) =>
    `From a@b Thu Jan  1 00:00:00 2026\nSubject: ${subject}\n${rest}\n`;
  const mbox = message('one', '\nbody one') + message('two', within) + message('three', '\nbody three');
  const result = await read('a', mbox);
  expect(result).toMatchObject({ format: 'mbox', state: 'partial', reason: 'damaged' });
  expect(result).toMatchObject({ text: expect.stringMatching(/body one[\s\S]*three\nbody three/) });
});

const sealedMail = (type: string, content: Buffer) =>
  `From: a@example.org\nTo: b@example.org\nSubject: sealed\nContent-Type: ${type}\nContent-Transfer-Encoding: base64\n\n${content.toString('base64')}\n`;

test('a mail that only its readers can open is its headers', async () => {
  const type = 'application/pkcs7-mime; name=smime.p7m';
  const enveloped = Buffer.from('308006092a864886f70d010703a0800000', 'hex');
  const sealed = { state: 'partial', reason: 'encrypted', text: expect.stringContaining('sealed') };
  expect(await read('a.eml', sealedMail(type, enveloped))).toMatchObject(sealed);
  const pgp = sealedMail('application/pgp-encrypted', Buffer.from('Version: 1\n'));
  expect(await read('a.eml', pgp)).toMatchObject(sealed);
  const signed = Buffer.from('308006092a864886f70d010702a0800000', 'hex');
  expect(await read('a.eml', sealedMail(type, signed))).toMatchObject({
    state: 'partial',
    reason: 'damaged',
  });
});

test('attachments are members; messages within messages are not parsed over and over', async () => {
  const part = '--b\nContent-Type: text/plain; name=a.txt\nContent-Disposition: attachment\n\nx\n';
  const many = `From: a@example.org\nSubject: s\nContent-Type: multipart/mixed; boundary=b\n\n${part.repeat(20)}--b--\n`;
  expect(await read('a.eml', many, { maxMembers: 20 })).toMatchObject({ state: 'available' });
  expect(await read('a.eml', many, { maxMembers: 19 })).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
  });
  const within = (depth: number) =>
    `${'From: a@example.org\nSubject: s\nContent-Type: message/rfc822\n\n'.repeat(depth)}Subject: last\n\nwords\n`;
  expect(await read('a.eml', within(9))).toMatchObject({
    state: 'available',
    text: expect.stringContaining('words'),
  });
  expect(await read('a.eml', within(40))).toMatchObject({ state: 'partial', reason: 'member_bound' });
});

test('pages nested absurdly deep stop, with what was read', async () => {
  const deep = `<html><p>first</p>${'<div>'.repeat(200_000)}`;
  expect(await read('a.html', deep)).toEqual({
    state: 'partial',
    format: 'html',
    text: 'first',
    reason: 'damaged',
  });
});

test('text with zeros: a log with its end not written, padded fields, fields of Hive', async () => {
  const log = Buffer.concat([Buffer.from('ssn: 523-45-6781 ok\n'), Buffer.alloc(3000)]);
  expect(await read('server.log', log)).toMatchObject({
    state: 'available',
    text: 'ssn: 523-45-6781 ok\n\t',
  });
  const fields = 'Ann\0\0\0\0\0Meyer\0\0\0 20\x01Bonn\n';
  expect(await read('a.dat', fields)).toMatchObject({ text: 'Ann\tMeyer\t 20\tBonn\n' });
});

test('folded lines of calendars and cards', async () => {
  const event = 'DESCRIPTION:card 4539 7201 8836 45\r\n 12 and pim@exam\r\n ple.com\r\n';
  expect(await read('a.ics', event)).toMatchObject({
    text: 'DESCRIPTION:card 4539 7201 8836 4512 and pim@example.com\r\n',
  });
  const card =
    'N;ENCODING=QUOTED-PRINTABLE:M=C3=BCller\r\nNOTE;ENCODING=QUOTED-PRINTABLE:SSN: 523-45=\r\n-6781\r\n';
  expect(await read('a.vcf', card)).toMatchObject({
    text: 'N;ENCODING=QUOTED-PRINTABLE:Müller\r\nNOTE;ENCODING=QUOTED-PRINTABLE:SSN: 523-45-6781\r\n',
  });
});

test('notebooks and notes are JSON', async () => {
  for (const name of ['a.ipynb', 'a.boxnote']) {
    expect(await read(name, '{"source": "Jos\\u00e9"}')).toMatchObject(
      available('json', '{"source": "José"}'),
    );
  }
});
