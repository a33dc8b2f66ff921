import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { decompressRtf } from '../../../../core/extractors/mail/msg-rtf.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import {
  ansi,
  attachment,
  binary,
  compressed,
  compressedRtf,
  embedded,
  message,
  msg,
  recipient,
  unicode,
} from '../../../support/documents/msg.ts';

const SUBJECT = 0x37;
const BODY = 0x1000;
const HTML = 0x1013;
const RTF = 0x1009;
const CODE_PAGE = 0x3ffd;
const INTERNET_CODE_PAGE = 0x3fde;
const LOCALE = 0x3ff1;

const read = (bytes: Uint8Array) =>
  extract({ name: 'file', mimeType: null, bytes }, DEFAULT_EXTRACTION.bounds);
const available = (text: string) => ({ state: 'available', format: 'msg', text, reason: null });

test('subject, people with their addresses, what headers add to them, body', async () => {
  const headers =
    'Received: by x\r\n for <machine@e.org>\r\nFrom: Ann <ann@e.org>\r\nReply-To: Team\r\n <team@e.org>\r\nX-Id: 7@e.org';
  const parts = [
    unicode(SUBJECT, 'Plan'),
    unicode(0x0c1a, 'Ann'),
    unicode(0x0c1f, '/O=X/CN=ANN'),
    unicode(0x5d01, 'ann@e.org'),
    unicode(0x0e04, 'Bob; Eve'),
    unicode(0x7d, headers),
    unicode(BODY, 'Hello\r\nBob'),
    recipient(0, { ...unicode(0x3001, 'Bob'), ...unicode(0x39fe, 'bob@e.org') }),
    recipient(1, { ...unicode(0x3001, 'eve@e.org'), ...unicode(0x3003, 'eve@e.org') }),
  ];
  expect(await read(msg(message(parts)))).toEqual(
    available(
      'Plan\nAnn /O=X/CN=ANN ann@e.org\nBob bob@e.org\neve@e.org\nReply-To: Team <team@e.org>\nHello\r\nBob',
    ),
  );
});

test.for<[string, Record<number, number>, string, string]>([
  ['its code page', { [CODE_PAGE]: 1251, [LOCALE]: 1033 }, 'cff0e8e2e5f2', 'Привет'],
  ['its locale', { [LOCALE]: 1049, [INTERNET_CODE_PAGE]: 65001 }, 'cff0e8e2e5f2', 'Привет'],
  ['the place of its language', { [LOCALE]: 0x0404 }, 'a4a4a4e5', '中文'],
  ['that of the network', { [INTERNET_CODE_PAGE]: 1253 }, 'c1e2', 'Αβ'],
  ['none', {}, 'e9', 'é'],
  ['one that is not true', { [CODE_PAGE]: 1252 }, 'c3a9', 'é'],
])('text that is not in Unicode, by %s', async ([, integers, hex, text]) => {
  const bytes = Buffer.from(hex, 'hex');
  expect(await read(msg(message([ansi(SUBJECT, bytes)], integers)))).toEqual(available(text));
});

test('a body as HTML, in its code page, wrapped, and as rich text', async () => {
  const page = [unicode(HTML, '<p>Hello <a href="https://e.org">Bob</a>'), unicode(BODY, 'plain')];
  expect(await read(msg(message(page)))).toEqual(available('Hello Bob\nhttps://e.org'));
  const bytes = binary(HTML, Buffer.from('<p>\xcf\xf0</p>', 'latin1'));
  expect(await read(msg(message([bytes], { [INTERNET_CODE_PAGE]: 1251 })))).toEqual(available('Пр'));
  const wrapped = binary(
    RTF,
    compressedRtf('{\\rtf1\\fromhtml1{\\*\\htmltag64 <p>}Hello\\htmlrtf \\par\\htmlrtf0}'),
  );
  expect(await read(msg(message([wrapped, unicode(BODY, 'plain')])))).toEqual(available('Hello'));
  const rich = binary(RTF, compressedRtf('{\\rtf1 rich\\par text}'));
  expect(await read(msg(message([rich])))).toEqual(available('rich\ntext'));
  const broken = binary(RTF, Buffer.from('no RTF at all, whatever it says'));
  expect(await read(msg(message([broken, unicode(BODY, 'plain')])))).toEqual(available('plain'));
});

test('compressed RTF refers to its dictionary and to itself', () => {
  // `{\rtf1\ansi` of the dictionary, a literal, then itself three times over its own end.
  const start = 207 + 11;
  const literal = [0x78];
  const self = [(start >> 4) & 0xff, ((start & 0xf) << 4) | 1];
  const data = Buffer.from([
    0b1101,
    0x00,
    0x09,
    ...literal,
    ...self,
    ((start + 4) >> 4) & 0xff,
    ((start + 4) & 0xf) << 4,
  ]);
  expect(decompressRtf(compressed(data, 15))?.toString()).toBe('{\\rtf1\\ansixxxx');
  expect(decompressRtf(Buffer.from('short'))).toBeNull();
  expect(decompressRtf(compressed(Buffer.from([0xff, 0x00]), 1))?.toString()).toBe('');
});

test('attachments by name and content, messages within, links to files', async () => {
  const inner = message([unicode(SUBJECT, 'Inner'), unicode(BODY, 'deep')], {}, 24);
  const parts = [
    unicode(SUBJECT, 'Outer'),
    attachment(0, { ...unicode(0x3707, 'letter.txt'), ...binary(0x3701, Buffer.from('dear all')) }),
    attachment(1, { ...unicode(0x3001, 'Forwarded'), ...embedded(inner) }),
    attachment(2, { ...unicode(0x3704, 'far.doc'), ...unicode(0x370d, '\\\\server\\far.doc') }),
  ];
  const outcome = await read(msg(message(parts)));
  expect(outcome).toMatchObject({ state: 'available', contains: { length: 2 } });
  const lines = 'text' in outcome ? outcome.text.split('\n') : [];
  expect(lines[0]).toBe('Outer');
  expect(lines.slice(1).sort()).toEqual(
    ['Forwarded', 'Inner', 'deep', 'letter.txt', 'dear all', '\\\\server\\far.doc', 'far.doc'].sort(),
  );
});

test('a contact says more than a mail: its card and what it calls by name', async () => {
  const card = [unicode(0x3a1c, '+1 555 0100'), unicode(0x8003, 'ann@e.org'), unicode(0x8004, 'second')];
  expect(await read(msg(message([unicode(0x1a, 'IPM.Contact'), ...card])))).toEqual(
    available('+1 555 0100\nann@e.org\nsecond'),
  );
  expect(await read(msg(message([unicode(0x1a, 'IPM.Note'), unicode(SUBJECT, 'x'), ...card])))).toEqual(
    available('x'),
  );
});

test('a message that only its readers can open is its headers', async () => {
  const sent = (hex: string) => {
    const bytes = Buffer.from(hex, 'hex');
    const parts = [
      unicode(SUBJECT, 'Sealed'),
      attachment(0, { ...unicode(0x3707, 'smime.p7m'), ...binary(0x3701, bytes) }),
    ];
    return read(msg(message(parts)));
  };
  expect(await sent('308006092a864886f70d010703a0800000')).toMatchObject({
    state: 'partial',
    reason: 'encrypted',
    text: 'Sealed\nsmime.p7m',
  });
  expect(await sent('308006092a864886f70d010702a0800000')).toMatchObject({
    state: 'partial',
    reason: 'damaged',
  });
});
