import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { PrincipalId, TenantId } from '../../core/kernel/ids.ts';
import { syncFamily } from '../../core/messages/sync-family.ts';
import { makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import type { GraphFake } from '../support/graph/graph-fake.ts';
import type { MailboxActs } from '../support/graph/mail-acts.ts';
import { ADA, BEN, mailFake, mailSourceOf } from '../support/graph/mail-source.ts';
import { storedMessages, syncParts } from '../support/message-world.ts';

const HOUR_MS = 3_600_000;
const CANARY = 'xylophonquagga';
const tenantId = 'mail-day' as TenantId;

let database: TestDatabase;
let fake: GraphFake;
let now = Date.UTC(2026, 10, 27);

beforeAll(async () => {
  database = await createTestDatabase();
  fake = await mailFake({}, () => now);
  await makeTenant(database, tenantId, now);
});
afterAll(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
  await database.drop();
});

/** The same numbers in each run (Park and Miller). */
let seed = 20261127;
const below = (most: number): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % most;
};
const oneOf = <T>(list: readonly T[]): T =>
  list[below(list.length)] ?? expect.unreachable('The list is empty.');

function deliver(mailbox: MailboxActs): void {
  const isDraft = below(4) === 0;
  const folderId = isDraft ? mailbox.folder('drafts') : oneOf([...mailbox.mailbox.folders.keys()]);
  mailbox.deliver(folderId, {
    ...{ isDraft, subject: `Note ${below(1000)}`, from: `${CANARY}@outside.example` },
    ...(below(3) === 0 && { attachments: [{ file: `${below(9)}.txt`, bytes: `File ${below(99)}` }] }),
  });
}

/** One thing that a person does, or the server. */
function act(mailbox: MailboxActs): void {
  const folders = [...mailbox.mailbox.folders.keys()];
  const mails = mailbox.present();
  if (mails.length < 20) {
    deliver(mailbox);
    return;
  }
  const { id, isRead, attachments } = oneOf(mails);
  const move = () => mailbox.move(id, oneOf(folders));
  const acts: (() => void)[] = [
    ...[() => deliver(mailbox), () => deliver(mailbox), move, move, move],
    ...[() => mailbox.erase(id), () => mailbox.toRecoverable(id), () => mailbox.markRead(id, !isRead)],
    () => mailbox.removeAttachment(id, attachments[0]?.name ?? ''),
    () => {
      const draft = mails.find(({ isDraft }) => isDraft);
      if (draft !== undefined) mailbox.editDraft(draft.id, { subject: `Draft ${below(1000)}` });
    },
    () => {
      // A folder comes, or goes with what is in it.
      const own = folders.slice(4);
      if (own.length < 3) mailbox.addFolder(`${CANARY} ${now}`, { hidden: below(2) === 0 });
      else mailbox.deleteFolder(oneOf(own));
    },
  ];
  oneOf(acts)();
}

test('24 hours of acts in two mailboxes: what is stored is what they have', async () => {
  const source = mailSourceOf(fake, { selected: [ADA, BEN] });
  const boxes = [fake.mailbox(ADA), fake.mailbox(BEN)];
  for (let hour = 0; hour < 24; hour++) {
    now += HOUR_MS;
    for (const box of boxes) for (let n = 0; n < 12; n++) act(box);
    if (hour % 7 === 6) oneOf(boxes).forgetFeeds();
    if (hour % 2 === 0) continue;
    if (hour % 5 === 4) fake.fail({ on: 'mail_delta', fault: { kind: 'emptyPage' }, times: 2 });
    const answer = await syncFamily(
      syncParts(database, () => now),
      { tenantId, principalId: 'somebody' as PrincipalId, correlationId: 'cor_1' },
      source,
      new AbortController().signal,
    );
    expect(answer).toMatchObject({ mode: 'live', complete: true, containers: { covered: 2 } });
    for (const box of boxes) {
      const stored = await storedMessages(database, tenantId, box.address);
      const inBox = box.present().map(({ id, folderId, subject, body }) => ({
        ...{ id, feed: folderId, preview: `${subject} ${body.content}` },
      }));
      expect(stored.map(({ id, feed, preview }) => ({ id, feed, preview }))).toEqual(
        inBox.sort((a, b) => (a.id < b.id ? -1 : 1)),
      );
    }
  }
  const tables = ['message_containers', 'message_feeds', 'messages', 'message_attachments'] as const;
  for (const table of tables) {
    const rows = await database.inspect(sql`select * from ${sql.ident(table)} where tenant_id = ${tenantId}`);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(CANARY);
  }
  expect(fake.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
});
