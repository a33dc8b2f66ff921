import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MessageSource } from '../../../../core/connectors/message-source.ts';
import type { GraphFake } from '../../../support/graph/graph-fake.ts';
import type { MailboxActs, MailSpec } from '../../../support/graph/mail-acts.ts';
import { ADA, mailFake, mailSourceOf } from '../../../support/graph/mail-source.ts';

const live = new AbortController().signal;
const MIB = 1024 * 1024;

let fake: GraphFake;
let ada: MailboxActs;
let source: MessageSource;

beforeEach(async () => {
  fake = await mailFake();
  ada = fake.mailbox(ADA);
  source = mailSourceOf(fake);
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
});

const attached = (...attachments: NonNullable<MailSpec['attachments']>) =>
  ada.deliver(ada.folder('inbox'), { attachments });
const read = (id: string, maxBytes = MIB) => source.readAttachments(ADA, id, maxBytes, live);

test('files come with their bytes, messages as MIME, links as links', async () => {
  const mime = 'From: a@x.example\r\nSubject: Inner\r\n\r\nText';
  const calendar = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR';
  const id = attached(
    { file: 'a.txt', bytes: 'text', contentType: 'text/plain' },
    { item: 'Inner', mime },
    { item: 'Meeting', mime: calendar },
    { reference: 'Plan.docx' },
    { file: 'message.rpmsg', bytes: 'sealed', contentType: 'application/x-microsoft-rpmsg-message' },
  );
  const available = (text: string) => ({ state: 'available', bytes: new Uint8Array(Buffer.from(text)) });
  const plain = (await read(id)).map(({ content, ...rest }) => ({
    ...rest,
    content: 'bytes' in content ? { ...content, bytes: new Uint8Array(content.bytes) } : content,
  }));
  expect(plain).toEqual([
    {
      kind: 'file',
      name: 'a.txt',
      mimeType: 'text/plain',
      sizeBytes: 4,
      url: null,
      content: available('text'),
    },
    {
      kind: 'item',
      name: 'Inner',
      mimeType: 'message/rfc822',
      sizeBytes: mime.length,
      url: null,
      content: available(mime),
    },
    {
      kind: 'item',
      name: 'Meeting',
      mimeType: 'text/calendar',
      sizeBytes: calendar.length,
      url: null,
      content: available(calendar),
    },
    {
      kind: 'reference',
      name: 'Plan.docx',
      mimeType: null,
      sizeBytes: 0,
      url: null,
      content: { state: 'link' },
    },
    {
      kind: 'file',
      name: 'message.rpmsg',
      mimeType: 'application/x-microsoft-rpmsg-message',
      sizeBytes: 136,
      url: null,
      content: { state: 'inaccessible' },
    },
  ]);
  expect(fake.callsOf('mail_attachment')).toHaveLength(3);
});

test('a copy beyond the bound is too large, and the others are read', async () => {
  const id = attached({ file: 'big', bytes: Buffer.alloc(2 * MIB) }, { file: 'small', bytes: 'x' });
  expect((await read(id)).map(({ content }) => content.state)).toEqual(['too_large', 'available']);
});

test('fifty copies are read of a message, and no more', async () => {
  const files = Array.from({ length: 60 }, (_, n) => ({ file: `${n}`, bytes: 'x' }));
  const states = (await read(attached(...files))).map(({ content }) => content.state);
  expect(states).toEqual([...Array(50).fill('available'), ...Array(10).fill('too_large')]);
  expect(fake.callsOf('mail_attachment')).toHaveLength(50);
});

test('one that Exchange cannot convert is inaccessible, and the others are read', async () => {
  const id = attached({ item: 'Broken', mime: 'x', broken: true }, { file: 'small', bytes: 'x' });
  expect((await read(id)).map(({ content }) => content.state)).toEqual(['inaccessible', 'available']);
});

test.each([403, 404, 500])('a list that is answered with %d is empty', async (status) => {
  const id = attached({ file: 'a', bytes: 'x' });
  fake.fail({ on: 'mail_attachments', fault: { kind: 'error', status, code: 'x' }, times: 9 });
  expect(await read(id)).toEqual([]);
});

test('a pause that Exchange asks for is no empty list', async () => {
  const id = attached({ file: 'a', bytes: 'x' });
  fake.fail({ on: 'mail_attachments', fault: { kind: 'throttle', retryAfter: 600 } });
  await expect(read(id)).rejects.toMatchObject({ retryClass: 'throttled', retryAfterMs: 600_000 });
});

test('a message with inline pictures alone says that it has none', async () => {
  attached({ file: 'logo.png', bytes: 'x', contentType: 'image/png', inline: true });
  const { messages } = await source.listMessages(ADA, ada.folder('inbox'), null, live);
  expect(messages[0]?.attachments).toEqual([]);
});

test('calls for 1,000 messages: the first walk, with attachments, a delta of 100', async () => {
  const inbox = ada.folder('inbox');
  const mails = Array.from({ length: 1000 }, (_, n) =>
    ada.deliver(inbox, n % 5 === 0 ? { attachments: [{ file: 'a', bytes: 'x' }] } : {}),
  );
  let cursor: string | null = null;
  const pages = async () => {
    for (let left = 30; left > 0; left--) {
      const page = await source.listMessages(ADA, inbox, cursor, live);
      cursor = page.cursor;
      for (const { attachments, externalId } of page.messages)
        if (attachments === 'unread' && withAttachments) await read(externalId);
      if (page.isCaughtUp) return;
    }
  };
  let withAttachments = false;
  const callsOf = async () => {
    fake.clearCalls();
    await pages();
    return fake.calls.filter(({ family }) => family !== 'organization').length;
  };
  expect(await callsOf()).toBe(20);
  cursor = null;
  withAttachments = true;
  // Of 200 messages with one file each: its list and its bytes.
  expect(await callsOf()).toBe(20 + 400);
  for (const id of mails.slice(0, 100)) ada.categorize(id, 'Blue');
  withAttachments = false;
  expect(await callsOf()).toBe(2);
  for (const id of mails.slice(0, 100)) ada.markRead(id);
  // The feed has the read flags alone.
  expect(await callsOf()).toBe(2 + 100);
});
