import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScopeRefused } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import type { PrincipalId, TenantId } from '../../core/kernel/ids.ts';
import { syncFamily } from '../../core/messages/sync-family.ts';
import { makeTenant } from '../support/campaign.ts';
import { randomFrom } from '../support/chaos.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { channelSourceOf, chatFake } from '../support/graph/chat-tenant.ts';
import type { FakeChannel, GraphFake } from '../support/graph/graph-fake.ts';
import { storedMessages, syncParts } from '../support/message-world.ts';

const HOUR_MS = 3_600_000;
const tenantId = 'chat-sync' as TenantId;
const never = new AbortController().signal;

let now = Date.UTC(2026, 10, 1);
let database: TestDatabase;
let fake: GraphFake;
let general: FakeChannel;

beforeAll(async () => {
  database = await createTestDatabase();
  await makeTenant(database, tenantId, now);
  fake = await chatFake({ clock: () => now });
  general = fake.channel('Sales', 'General');
});
afterAll(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
  await database.drop();
});

const audit = { tenantId, principalId: 'somebody' as PrincipalId, correlationId: 'cor_1' };
/** As a process does that has just started: nothing is remembered but what is stored. */
async function sync(): Promise<void> {
  now += 1_000;
  const source = channelSourceOf(fake, [general.team.id]);
  for (let rounds = 0; rounds < 10; rounds++) {
    if (
      (
        await syncFamily(
          syncParts(database, () => now),
          audit,
          source,
          never,
        )
      ).complete
    )
      return;
  }
  throw new Error('The sync has no end.');
}
const stored = async () =>
  (await storedMessages(database, tenantId, general.externalId)).map(({ id, preview }) => [id, preview]);
/** What people see in the channel. */
const truth = () =>
  [...general.channel.roots.values(), ...[...general.channel.replies.values()].flat()]
    .filter(({ type, deletedAt }) => type === 'message' && deletedAt === null)
    .map(({ id, rootId, html }) => [rootId === null ? id : `${rootId}/${id}`, html])
    .toSorted();

test('a day of posts, replies, edits, deletions and faults ends as people see it', async () => {
  const random = randomFrom(38);
  const one = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const living = () => [...general.channel.roots.values()].filter(({ deletedAt }) => deletedAt === null);
  for (let n = 0; n < 70; n++) general.post(`Post number ${n}`);
  await sync();
  expect((await stored()).toSorted()).toEqual(truth());
  for (let hour = 1; hour <= 24; hour++) {
    now += HOUR_MS;
    const root = one(living())?.id ?? general.post('The first again');
    general.post(`Post of hour ${hour}`);
    general.reply(root, `Reply of hour ${hour}`);
    general.edit(one(living())?.id ?? root, `Edited in hour ${hour}`);
    general.react(one(living())?.id ?? root);
    if (hour % 3 === 0) general.delete(one(living())?.id ?? root);
    if (hour % 4 === 0) general.delete(one([...general.channel.replies.values()].flat())?.id ?? root);
    if (hour % 6 === 0) general.systemEvent();
    if (hour % 5 === 0) general.forgetTokens();
    if (hour % 7 === 0) fake.fail({ on: 'channel_delta', fault: { kind: 'throttle', retryAfter: 1 } });
    if (hour % 2 === 0) await sync();
  }
  await sync();
  expect((await stored()).toSorted()).toEqual(truth());
});

test('the documents of attachments and the folder of files are those of the library', async () => {
  const library = fake.library('Sales');
  const externalId = library.add('General/Prices.xlsx', 'x');
  general.openFiles({ driveId: library.id, itemId: library.addFolder('General') });
  const contentUrl = `${library.drive.webUrl}/General/Prices.xlsx`;
  general.post('The prices', { attachments: [{ name: 'Prices.xlsx', contentUrl }] });
  await sync();
  const [attached] = await database.inspect<{ scope: string; item: string }>(sql`
    select backing_scope_external_id as scope, backing_external_id as item from message_attachments
     where tenant_id = ${tenantId} and backing_external_id is not null`);
  expect(attached).toEqual({ scope: library.id, item: externalId });
  const [channel] = await database.inspect<Record<string, unknown>>(sql`
    select members, guests, is_open as "isOpen", files_scope_external_id as files from message_containers
     where tenant_id = ${tenantId} and external_id = ${general.externalId}`);
  expect(channel).toEqual({ members: 3, guests: 1, isOpen: true, files: library.id });
});

test('a denied channel keeps what was stored, and the refusal reaches the caller', async () => {
  const before = await stored();
  general.refuse('denied');
  await expect(sync()).rejects.toBeInstanceOf(ScopeRefused);
  expect(await stored()).toEqual(before);
  general.refuse(null);
});
