import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScopeRefused } from '../../../../core/connectors/connector.ts';
import type { MessageSource } from '../../../../core/connectors/message-source.ts';
import type { GraphFake } from '../../../support/graph/graph-fake.ts';
import type { MailboxActs } from '../../../support/graph/mail-acts.ts';
import { ADA, mailFake, mailSourceOf } from '../../../support/graph/mail-source.ts';

const live = new AbortController().signal;
const CANARY = 'xylophonquagga';

let fake: GraphFake;
let ada: MailboxActs;
let inbox: string;
let source: MessageSource;

beforeEach(async () => {
  fake = await mailFake();
  ada = fake.mailbox(ADA);
  inbox = ada.folder('inbox');
  source = mailSourceOf(fake);
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
});

const walk = () => source.listMessages(ADA, inbox, null, live);
const error = (status: number, code: string) => ({ kind: 'error', status, code }) as const;
test.each([
  ['mail_delta', error(403, 'ErrorAccessDenied'), { reason: 'denied' }],
  ['mail_delta', error(423, 'ErrorMailboxLocked'), { reason: 'locked' }],
  ['mail_delta', error(400, 'ErrorInvalidRequest'), { safeDiagnostic: 'graph_mail_delta_400' }],
  ['mail_delta', error(401, 'InvalidAuthenticationToken'), { retryClass: 'auth' }],
  ['mail_delta', error(500, 'ErrorInternalServerError'), { retryClass: 'transient' }],
  ['mail_delta', { kind: 'reset' }, { retryClass: 'transient' }],
  ['mail_delta', { kind: 'throttle', retryAfter: 120 }, { retryClass: 'throttled', retryAfterMs: 120_000 }],
  ['mail_delta', { kind: 'html', status: 200 }, { retryClass: 'transient' }],
  ['mail_folders', error(403, 'ErrorAccessDenied'), { reason: 'denied' }],
  ['mail_folders', error(503, 'ErrorMailboxMoveInProgress'), { retryClass: 'throttled' }],
] as const)('%s that is answered with %j ends as %j', async (on, fault, expected) => {
  ada.deliver(inbox);
  fake.fail({ on, fault, times: 9 });
  const ask = on === 'mail_folders' ? source.listFeeds(ADA, live) : walk();
  await expect(ask).rejects.toMatchObject(expected);
});

test('a pause that is asked for is waited for', async () => {
  const id = ada.deliver(inbox);
  fake.fail({ on: 'mail_delta', fault: { kind: 'throttle', retryAfter: 1 }, times: 2 });
  expect((await walk()).messages.map(({ externalId }) => externalId)).toEqual([id]);
});

test.each([
  ['policy', 'denied'],
  ['inactive', 'not_found'],
] as const)('a mailbox that became %s is refused as %s while listing', async (refusal, reason) => {
  ada.mailbox.refusal = refusal;
  const listed = walk();
  await expect(listed).rejects.toBeInstanceOf(ScopeRefused);
  await expect(listed).rejects.toMatchObject({ reason });
});

test('a signal that fires ends the calls and those that wait', async () => {
  for (let n = 0; n < 40; n++) ada.deliver(inbox);
  const { cursor } = await walk();
  for (const { id } of ada.present()) ada.markRead(id);
  fake.setLatency(50);
  const stop = new AbortController();
  const pending = source.listMessages(ADA, inbox, cursor, stop.signal);
  setTimeout(() => stop.abort(), 120);
  await expect(pending).rejects.toMatchObject({ safeDiagnostic: 'aborted' });
  expect(fake.callsOf('mail_message').length).toBeLessThan(20);
});

test('four calls at once for a mailbox, and no more', async () => {
  for (let n = 0; n < 40; n++) ada.deliver(inbox);
  let most = 0;
  let under = 0;
  const gate = {
    enter: async () => {
      most = Math.max(most, ++under);
      return { leave: () => void under-- };
    },
  };
  const bound = mailSourceOf(fake, { gate });
  const { cursor } = await bound.listMessages(ADA, inbox, null, live);
  for (const { id } of ada.present()) ada.markRead(id);
  expect((await bound.listMessages(ADA, inbox, cursor, live)).messages).toHaveLength(40);
  expect(most).toBe(4);
});

test('no error holds a subject, a body, an address or a name', async () => {
  const mail = { subject: CANARY, body: { contentType: 'text', content: CANARY } } as const;
  ada.deliver(ada.addFolder(CANARY), { ...mail, from: `${CANARY}@outside.example` });
  const thrown: unknown[] = [];
  for (const fault of [
    error(404, CANARY),
    error(500, CANARY),
    error(400, CANARY),
    { kind: 'brokenJson' } as const,
  ]) {
    fake.fail({ on: ['mail_delta', 'mail_folder', 'mail_folders'], fault, times: 9 });
    await walk().catch((each: unknown) => thrown.push(each));
    await source.listFeeds(ADA, live).catch((each: unknown) => thrown.push(each));
    fake.noMoreFaults();
  }
  expect(thrown).toHaveLength(8);
  for (const each of thrown) {
    const said = `${String(each)} ${JSON.stringify(each)} ${each instanceof Error ? each.stack : ''}`;
    expect(said).not.toMatch(new RegExp(`${CANARY}|small\\.example`));
  }
});
