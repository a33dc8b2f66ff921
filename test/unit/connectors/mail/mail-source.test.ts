import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeltaCursorInvalid } from '../../../../core/connectors/connector.ts';
import { createGraphClient } from '../../../../core/connectors/m365/graph-client.ts';
import { mailboxCalls } from '../../../../core/connectors/mail/mailbox-calls.ts';
import { findMailbox, type Mailbox, selectedMailboxes } from '../../../../core/connectors/mail/mailboxes.ts';
import type { MessageSource } from '../../../../core/connectors/message-source.ts';
import { clientOf, cloudOf, WITHOUT_BOUND } from '../../../support/graph/connect.ts';
import type { GraphFake } from '../../../support/graph/graph-fake.ts';
import type { MailboxActs } from '../../../support/graph/mail-acts.ts';
import {
  ADA,
  BEN,
  EVE,
  MAIL_APP,
  mailFake,
  mailSourceOf,
  mirrorOf,
} from '../../../support/graph/mail-source.ts';

const live = new AbortController().signal;
const CANARY = 'xylophonquagga';

let now: number;
let fake: GraphFake;
let ada: MailboxActs;
let inbox: string;
let source: MessageSource;

beforeEach(async () => {
  now = Date.parse('2026-11-27T12:00:00Z');
  fake = await mailFake({}, () => now);
  ada = fake.mailbox(ADA);
  inbox = ada.folder('inbox');
  source = mailSourceOf(fake);
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  expect(fake.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  await fake.close();
});

const walk = (feed = inbox) => source.listMessages(ADA, feed, null, live);
/** The folder of each message that the mailbox has. */
const present = () => new Map(ada.present().map(({ id, folderId }) => [id, folderId]));

describe('a mailbox that is not selected', () => {
  test('is no value of the type of a mailbox', () => {
    const selected = selectedMailboxes([` ${ADA.toUpperCase()} `, BEN, ADA]);
    expect(selected).toEqual([ADA, BEN]);
    expect(findMailbox(selected, EVE)).toBeNull();
    // @ts-expect-error a text is none
    const mailbox: Mailbox = EVE;
    expect(mailbox).toBe(EVE);
  });

  test('is refused by each call of the source, and nothing leaves', async () => {
    fake.app(MAIL_APP).permissions.push('Mail.Read');
    const attempts = [
      () => source.listFeeds(EVE, live),
      () => source.listMessages(EVE, inbox, null, live),
      () => source.readAttachments(EVE, 'AAkALg', 1, live),
    ];
    for (const attempt of attempts)
      await expect((async () => attempt())()).rejects.toMatchObject({ reason: 'not_found' });
    expect(fake.calls).toEqual([]);
  });

  test.each([
    ['mail_folder', { folderId: 'inbox' }],
    ['mail_folders', { folderId: 'inbox' }],
    ['mail_delta', { folderId: 'inbox' }],
    ['mail_message', { messageId: 'AAk' }],
    ['mail_attachments', { messageId: 'AAk' }],
    ['mail_attachment', { messageId: 'AAk', attachmentId: 'AAk' }],
  ] as const)('%s does not leave the client for it, nor in a batch', async (call, values) => {
    fake.app(MAIL_APP).permissions.push('Mail.Read');
    const client = createGraphClient({
      ...{ cloud: cloudOf(fake), gate: WITHOUT_BOUND, priority: 'background', clock: fake.now },
      ...{ writesLabels: false, count: () => undefined, mailboxes: selectedMailboxes([ADA]) },
      tokens: { token: async () => fake.token(MAIL_APP) },
    });
    const options = { schema: { safeParse: () => expect.unreachable() } as never, signal: live };
    const refused = { safeDiagnostic: `graph_${call}_not_allowed` };
    const to = (mailbox: string) => client.call(call, { ...values, mailbox }, options);
    await expect(to(EVE)).rejects.toMatchObject(refused);
    await expect(to(`${ADA}/../${EVE}`)).rejects.toMatchObject(refused);
    await expect(client.batched(call, { ...values, mailbox: ADA }, options)).rejects.toMatchObject(refused);
    expect(fake.calls).toEqual([]);
  });

  test('is not reached by a link either, since the path is ours', async () => {
    const mailbox = selectedMailboxes([ADA])[0] ?? expect.unreachable();
    const calls = mailboxCalls(clientOf(fake, MAIL_APP), cloudOf(fake), mailbox);
    const link = `${fake.graphOrigin}/v1.0/users('${EVE}')/mailFolders('${inbox}')/messages/delta?$skiptoken=x`;
    expect(calls.storedLink(inbox, link)).toBe('?$skiptoken=x');
    for (const other of [
      link.replace(inbox, 'another'),
      link.replace(/^http:..[^/]+/, 'https://graph.example'),
    ])
      expect(() => calls.storedLink(inbox, other)).toThrow('graph_mail_delta_link_refused');
  });
});

describe('the selected mailboxes', () => {
  test('are containers; those that Exchange denies are named with the reason as well', async () => {
    fake.mailbox(BEN).mailbox.refusal = 'policy';
    const all = mailSourceOf(fake, { selected: [ADA, BEN, EVE, 'nobody@small.example'] });
    expect(await all.listContainers(live)).toEqual({
      containers: [ADA, BEN, EVE, 'nobody@small.example'].map((name) => ({
        ...{ externalId: name, name, entry: name, kind: 'mailbox', groupName: null },
      })),
      refused: [
        { name: BEN, reason: 'denied' },
        { name: EVE, reason: 'denied' },
        { name: 'nobody@small.example', reason: 'denied' },
      ],
    });
    expect(await source.readAudience(ADA, live)).toMatchObject({ members: 1, complete: false });
  });

  test('have a feed for each folder: nested and hidden ones, no searches, no names', async () => {
    const nested = ada.addFolder(CANARY, { parentId: inbox });
    const deep = ada.addFolder('Deep', { parentId: nested, hidden: true });
    ada.addFolder('Unread mail', { search: true });
    const feeds = await source.listFeeds(ADA, live);
    expect(feeds).toHaveLength(6);
    expect(feeds).toEqual(expect.arrayContaining([inbox, nested, deep]));
    // A folder without children is not asked for them.
    expect(fake.callsOf('mail_folders')).toHaveLength(3);
  });
});

describe('a walk over a folder', () => {
  test('shows each message once, 50 at a time, through an empty page', async () => {
    const ids = Array.from({ length: 120 }, () => ada.deliver(inbox));
    fake.fail({ on: 'mail_delta', fault: { kind: 'emptyPage' }, after: 1 });
    const sizes: number[] = [];
    const seen: string[] = [];
    let page = await walk();
    for (let left = 10; left > 0; left--) {
      sizes.push(page.messages.length);
      seen.push(...page.messages.map(({ externalId }) => externalId));
      expect(page.isWhole).toBe(page.isCaughtUp);
      expect(Buffer.from(page.cursor, 'base64url').toString()).not.toContain('small.example');
      if (page.isCaughtUp) break;
      page = await source.listMessages(ADA, inbox, page.cursor, live);
    }
    expect(sizes).toEqual([50, 0, 50, 20]);
    expect(seen).toEqual(ids);
    const later = await source.listMessages(ADA, inbox, page.cursor, live);
    expect(later).toMatchObject({ messages: [], gone: [], isCaughtUp: true, isWhole: false });
  });

  test('makes of a mail what a message is, without addresses and folder names', async () => {
    const body = { contentType: 'html', content: '<p>Hello</p>' } as const;
    const id = ada.deliver(inbox, { subject: 'Offer', body, from: `${CANARY}@outside.example` });
    const { messages } = await walk();
    expect(messages).toEqual([
      {
        ...{ externalId: id, feed: inbox, rootExternalId: null, sentAt: '2026-11-27T12:00:00.000Z' },
        ...{ sourceVersion: expect.any(String), contentVersion: 'sent bare', editedAt: null },
        ...{ hasOutsiders: true, subject: 'Offer', attachments: [] },
        body: { mimeType: 'text/html', text: '<p>Hello</p>' },
      },
    ]);
    expect(JSON.stringify(messages)).not.toContain(CANARY);
  });

  test.each([
    [{ to: [BEN], cc: [EVE] }, false],
    [{ to: [BEN], bcc: ['someone@outside.example'] }, true],
    [{ from: '/o=ExchangeLabs/ou=x/cn=ada', to: [] }, null],
  ])('with %j, whether outsiders are among the people is %j', async (people, expected) => {
    ada.deliver(inbox, people);
    expect((await walk()).messages[0]?.hasOutsiders).toBe(expected);
  });

  test('does not know who is outside without the domains of the organization', async () => {
    fake.app(MAIL_APP).permissions = [];
    ada.deliver(inbox, { to: ['someone@outside.example'] });
    expect((await walk()).messages[0]?.hasOutsiders).toBeNull();
  });

  test.each([
    ['Content-Class', 'rpmsg.message'],
    ['Content-Type', 'application/pkcs7-mime; smime-type=enveloped-data'],
  ])('has no body where %s says that it is encrypted', async (name, value) => {
    ada.deliver(inbox, { headers: [{ name, value }], body: { contentType: 'text', content: 'A wrapper.' } });
    expect((await walk()).messages[0]?.body).toBeNull();
  });

  test('goes on where a page is too large: each message alone, without such a body', async () => {
    const large = ada.deliver(inbox, {
      body: { contentType: 'text', content: 'x'.repeat(17 * 1024 * 1024) },
    });
    const small = ada.deliver(inbox);
    const mirror = mirrorOf(source);
    await mirror.sync();
    expect(mirror.get(large)?.body).toBeNull();
    expect(mirror.get(small)?.body).toEqual({ mimeType: 'text/plain', text: 'Text 1' });
  });

  test('goes on with eight at a time there, since each may be as large', async () => {
    const body = { contentType: 'text', content: 'x'.repeat(17 * 1024 * 1024) } as const;
    const ids = [ada.deliver(inbox, { body }), ...Array.from({ length: 19 }, () => ada.deliver(inbox))];
    const sizes: number[] = [];
    const seen: string[] = [];
    for (let page = await walk(); ; page = await source.listMessages(ADA, inbox, page.cursor, live)) {
      sizes.push(page.messages.length);
      seen.push(...page.messages.map(({ externalId }) => externalId));
      if (page.isCaughtUp) break;
    }
    expect(sizes).toEqual([0, 8, 8, 4]);
    expect(seen).toEqual(ids);
  });
});

describe('the versions of a message', () => {
  const versions = async (id: string, act: () => void) => {
    const mirror = mirrorOf(source);
    await mirror.sync();
    const before = mirror.get(id);
    act();
    now += 1000;
    await mirror.sync();
    const after = mirror.get(id);
    return {
      source: before?.sourceVersion !== after?.sourceVersion,
      content: before?.contentVersion !== after?.contentVersion,
    };
  };
  const file = { file: 'a.txt', bytes: 'text' };

  test.each([
    ['a read flag', (id: string) => ada.markRead(id), false],
    ['a category', (id: string) => ada.categorize(id, 'Blue'), false],
    ['a removed attachment', (id: string) => ada.removeAttachment(id, 'a.txt'), true],
  ])('%s: the content has changed is %j', async (_what, act, content) => {
    const id = ada.deliver(inbox, { attachments: [file] });
    expect(await versions(id, () => act(id))).toEqual({ source: true, content });
  });

  test('an edited draft has changed its content', async () => {
    const id = ada.deliver(ada.folder('drafts'), { isDraft: true });
    const edit = () => {
      now += 1000;
      ada.editDraft(id, { subject: 'Another one' });
    };
    expect(await versions(id, edit)).toEqual({ source: true, content: true });
  });
});

describe('what the feed reports of a message', () => {
  test('with the id and the read flag alone does not replace what is known', async () => {
    const id = ada.deliver(inbox, { subject: 'Offer' });
    const mirror = mirrorOf(source);
    await mirror.sync();
    ada.markRead(id);
    await mirror.sync();
    expect(mirror.get(id)).toMatchObject({ subject: 'Offer', body: { text: 'Text 0' } });
    expect(fake.callsOf('mail_message')).toHaveLength(1);
  });

  test('as removed is looked for: moved, moved there and back, deleted, recoverable', async () => {
    const sent = ada.folder('sentitems');
    const [moved = '', back = '', erased = '', recoverable = ''] = Array.from({ length: 4 }, () =>
      ada.deliver(inbox),
    );
    const mirror = mirrorOf(source);
    await mirror.sync();
    ada.move(moved, sent);
    ada.move(back, sent);
    ada.move(back, inbox);
    ada.erase(erased);
    ada.toRecoverable(recoverable);
    await mirror.sync();
    expect(mirror.folders()).toEqual(
      new Map([
        [moved, sent],
        [back, inbox],
      ]),
    );
    expect(mirror.folders()).toEqual(present());
  });

  test('moved into a folder that was made meanwhile is kept', async () => {
    const id = ada.deliver(inbox);
    const mirror = mirrorOf(source);
    await mirror.sync();
    const page = mirror.feeds.get(inbox);
    const made = ada.addFolder('Projects');
    ada.move(id, made);
    const { messages, gone } = await source.listMessages(ADA, inbox, page?.cursor ?? null, live);
    expect([messages.map(({ feed }) => feed), gone]).toEqual([[made], []]);
  });

  test('of a folder that is renamed is nothing; one that is deleted ends its messages', async () => {
    const folder = ada.addFolder('Old');
    const kept = ada.deliver(inbox);
    ada.deliver(folder);
    const mirror = mirrorOf(source);
    await mirror.sync();
    ada.renameFolder(folder, CANARY);
    await mirror.sync();
    expect(mirror.folders().size).toBe(2);
    ada.deleteFolder(folder);
    await mirror.sync();
    expect([...mirror.folders().keys()]).toEqual([kept]);
  });

  test('a part of a message that was asked for is tried again later', async () => {
    const id = ada.deliver(inbox);
    const { cursor } = await walk();
    ada.markRead(id);
    fake.fail({ on: 'mail_message', fault: { kind: 'brokenJson' }, times: 9 });
    await expect(source.listMessages(ADA, inbox, cursor, live)).rejects.toMatchObject({
      ...{ retryClass: 'transient', safeDiagnostic: 'graph_mail_message_malformed' },
    });
  });
});

describe('a feed that does not go on', () => {
  test('410 begins another walk, which finds what was deleted meanwhile', async () => {
    const ids = Array.from({ length: 60 }, () => ada.deliver(inbox));
    const mirror = mirrorOf(source);
    await mirror.sync();
    ada.erase(ids[3] ?? '');
    ada.forgetFeeds();
    const { cursor } = mirror.feeds.get(inbox) ?? { cursor: null };
    await expect(source.listMessages(ADA, inbox, cursor, live)).rejects.toBeInstanceOf(DeltaCursorInvalid);
    await mirror.sync();
    expect(mirror.folders()).toEqual(present());
  });

  test.each(['no cursor at all', Buffer.from('{"link":"?a"}').toString('base64url')])(
    'the cursor %j begins another walk',
    async (cursor) => {
      await expect(source.listMessages(ADA, inbox, cursor, live)).rejects.toBeInstanceOf(DeltaCursorInvalid);
    },
  );

  test('a link that leads to itself begins another walk', async () => {
    for (let n = 0; n < 160; n++) ada.deliver(inbox);
    const first = await walk();
    fake.fail({ on: 'mail_delta', fault: { kind: 'repeatLink' } });
    const second = source.listMessages(ADA, inbox, first.cursor, live);
    await expect(second).rejects.toBeInstanceOf(DeltaCursorInvalid);
  });
});
