import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { zip } from '../../../support/documents/packages.ts';
import { attachment, attribute, properties, tnefOf } from '../../../support/documents/tnef.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'winmail.dat', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

const recipients = Buffer.concat([
  Buffer.from([1, 0, 0, 0]),
  properties({ id: 0x3001, text: 'Bernd Vogel' }, { id: 0x39fe, text: 'bernd@mail.example.org' }),
]);
const MESSAGE = tnefOf(
  attribute(0x9007, Buffer.from([0xe3, 4, 0, 0, 0, 0, 0, 0])),
  attribute(
    0x9003,
    properties(
      { id: 0x0037, text: 'Löhne im Mai' },
      { id: 0x0e08, number: 4_711 },
      { id: 0x8001, name: 'own', text: 'of a program' },
      { id: 0x0c1a, text: 'Anna Keller' },
      { id: 0x5d01, text: 'anna@mail.example.org' },
      { id: 0x1013, bytes: Buffer.from('<p>See the <b>list</b>.</p>') },
    ),
  ),
  attribute(0x9004, recipients),
  ...attachment('PAY~1.CSV', 'iban\nDE89370400440532013000', { id: 0x3707, text: 'pay in May.csv' }),
  ...attachment('more.zip', Buffer.from(zip({ 'in/b.txt': 'a text' }))),
);
const TEXT =
  'Löhne im Mai\nAnna Keller anna@mail.example.org\nBernd Vogel bernd@mail.example.org\nSee the list.\n' +
  'pay in May.csv\niban\nDE89370400440532013000\nmore.zip\nin/b.txt\na text';

test('a message: subject, people, body and attachments', async () => {
  expect(await read(MESSAGE)).toMatchObject({
    ...{ state: 'available', format: 'tnef', reason: null, text: TEXT },
    inside: [{ path: 'pay in May.csv' }, { path: 'more.zip/in/b.txt' }, { path: 'more.zip' }],
  });
});

test('an old message: texts in its code page, and an attached message', async () => {
  const inner = tnefOf(attribute(0x8004, Buffer.from('inner\0')), attribute(0x800c, Buffer.from('deeper\0')));
  const outer = tnefOf(
    attribute(0x9007, Buffer.from([0xe3, 4, 0, 0])),
    attribute(0x8004, Buffer.from([0xc7, 0xe0, 0xf0, 0xef, 0xeb, 0xe0, 0xf2, 0xe0, 0])),
    attribute(0x800c, Buffer.from('the body\0')),
    attribute(0x9002, Buffer.alloc(14)),
    attribute(0x9005, properties({ id: 0x3001, ansi: 'forwarded' }, { id: 0x3701, object: inner })),
  );
  expect(await read(outer)).toMatchObject({
    ...{ state: 'available', text: 'Зарплата\nthe body\nforwarded\ninner\ndeeper' },
  });
});

test('a contact: its card and the properties that programs defined', async () => {
  const contact = tnefOf(
    attribute(0x8008, Buffer.from('IPM.Contact\0')),
    attribute(
      0x9003,
      properties(
        { id: 0x3001, text: 'Anna Keller' },
        { id: 0x3a1c, text: '+49 30 901820' },
        { id: 0x8001, name: 'mail', text: 'anna@mail.example.org' },
        { id: 0x8001, name: 'more', ansi: 'Employee 4711' },
      ),
    ),
  );
  expect(await read(contact)).toMatchObject({
    ...{ state: 'available', text: '+49 30 901820\nanna@mail.example.org\nEmployee 4711' },
  });
});

test('people without a list of recipients, and those in the headers', async () => {
  const headers = 'Received: by x\r\nTo: Bernd\r\nReply-To: <office@mail.example.org>';
  const message = tnefOf(
    attribute(
      0x9003,
      properties(
        { id: 0x0e04, text: 'Bernd Vogel; Carla Roth' },
        { id: 0x0e03, text: 'Dora Lang' },
        { id: 0x0e02, text: 'Emil Kurz' },
        { id: 0x007d, text: headers },
      ),
    ),
  );
  expect(await read(message)).toMatchObject({
    ...{ state: 'available' },
    text: 'Bernd Vogel; Carla Roth\nDora Lang\nEmil Kurz\nTo: Bernd\nReply-To: <office@mail.example.org>',
  });
});

test('the sender of an old message', async () => {
  const name = Buffer.from('Jos\xe9 Gil\0\0', 'latin1');
  const address = Buffer.from('SMTP:jose@mail.example.org\0');
  const head = Buffer.alloc(8);
  for (const [index, value] of [4, 16 + name.length + address.length, name.length, address.length].entries())
    head.writeUInt16LE(value, index * 2);
  const from = attribute(0x8000, Buffer.concat([head, name, address, Buffer.alloc(8)]));
  expect(await read(tnefOf(from, attribute(0x800c, Buffer.from('the body\0'))))).toMatchObject({
    ...{ state: 'available', text: 'José Gil jose@mail.example.org\nthe body' },
  });
});

test('an attribute that cannot be read takes no other one with it', async () => {
  const broken = Buffer.from([1, 0, 0, 0, 0x99, 0, 0x37, 0, 0, 0, 0, 0]);
  const message = tnefOf(
    attribute(0x8004, Buffer.from('wages\0')),
    attribute(0x9003, broken),
    attribute(0x9004, recipients),
    ...attachment('pay.csv', 'iban\nDE89370400440532013000'),
  );
  expect(await read(message)).toMatchObject({
    ...{ state: 'partial', reason: 'damaged' },
    text: 'wages\nBernd Vogel bernd@mail.example.org\npay.csv\niban\nDE89370400440532013000',
  });
});

test('its attachments count toward the bounds of the file', async () => {
  expect(await read(MESSAGE, { maxMembers: 1 })).toMatchObject({
    ...{ state: 'partial', reason: 'member_bound' },
    text: expect.stringMatching(/pay in May\.csv\niban\nDE89370400440532013000$/),
  });
  let deep = tnefOf(attribute(0x8004, Buffer.from('0\0')));
  for (let depth = 1; depth < 9; depth++) {
    deep = tnefOf(
      attribute(0x9002, Buffer.alloc(14)),
      attribute(0x9005, properties({ id: 0x3001, text: `${depth}` }, { id: 0x3701, object: deep })),
    );
  }
  expect(await read(deep)).toMatchObject({ state: 'partial', reason: 'member_bound', text: '8\n7\n6\n5' });
});

test('a message that is cut gives what it holds before', async () => {
  const cut = MESSAGE.subarray(0, MESSAGE.indexOf('DE8937') + 12);
  expect(await read(cut)).toMatchObject({
    ...{ state: 'partial', reason: 'damaged' },
    text: expect.stringMatching(/^Löhne im Mai\n.*See the list\.\nPAY~1\.CSV\niban\nDE8937040044$/s),
  });
});

test('counts and lengths beyond the end are damage', async () => {
  for (const list of [
    Buffer.from([255, 255, 255, 255]),
    Buffer.from([1, 0, 0, 0, 0x1f, 0, 0x37, 0, 255, 255, 255, 255]),
    Buffer.from([1, 0, 0, 0, 0x03, 0x10, 0x37, 0, 255, 255, 255, 255]),
    Buffer.from([1, 0, 0, 0, 0x99, 0, 0x37, 0]),
  ]) {
    const { state } = await read(tnefOf(attribute(0x9003, Buffer.concat([list, Buffer.alloc(4)]))));
    expect(state).toBe('failed');
  }
});

test('no change of the bytes crashes or hangs', { timeout: 120_000 }, async () => {
  const at = fc.nat(MESSAGE.length - 1);
  const changes = fc.array(fc.tuple(at, fc.nat(255)), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(changes, fc.option(at), async (places, end) => {
      const changed = Buffer.from(MESSAGE.subarray(0, end ?? MESSAGE.length));
      for (const [place, byte] of places) if (place < changed.length) changed[place] = byte;
      const { state, reason } = await read(changed);
      expect(`${state} ${reason}`).toMatch(
        /^(available null|partial (member_bound|damaged|encrypted|ocr_off|unknown_format|unknown_encoding)|unsupported (unknown_format|encrypted)|failed corrupt)$/,
      );
    }),
    { numRuns: propertyRuns(200) },
  );
});
