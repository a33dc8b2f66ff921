import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConnectorError } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { syncDue } from '../../core/messages/sync-due.ts';
import { requestSync } from '../../core/messages/syncs.sql.ts';
import { write } from '../../core/messages/turn.ts';
import { makeTenant } from '../support/campaign.ts';
import { changingMessages } from '../support/changing-messages.ts';
import { chaosSeed, randomFrom } from '../support/chaos.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { storedMessages, syncParts } from '../support/message-world.ts';
import { mortalProcess } from '../support/mortal-process.ts';

const HOURS = 24;
const ACTS_AN_HOUR = 12;
const LEASE_MS = 300_000;
const HOUR_MS = 3_600_000;
const FEEDS = ['archive', 'inbox', 'sent'];
/** By then the first walk is over. */
const WALKED_BY = 8;
const IBAN = 'DE42 2327 2985 9310 4668 71';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('after a day of changes, lost cursors and crashes, what is stored is the source', async () => {
  const seed = chaosSeed();
  const random = randomFrom(seed);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const tenantId = 'day' as TenantId;
  let now = Date.UTC(2026, 10, 1);
  const clock = () => now;
  await makeTenant(database, tenantId, now);
  await makeTenant(database, 'another' as TenantId, now);
  const world = changingMessages('mail');
  const boxes = ['anna', 'bernd'].map((name) => world.add(`${name}@example.com`, { feeds: FEEDS }));
  const [steady] = boxes;
  let written = 0;
  let hour = 0;

  const act = () => {
    const box = pick(boxes);
    const ids = [...box.place.messages.keys()];
    const dice = random();
    const text = random() < 0.3 ? `Pay to ${IBAN} (${written})` : `Note ${written}`;
    if (dice < 0.4 || ids.length === 0) box.write(`m${written++}`, { text, feed: pick(FEEDS) });
    else if (dice < 0.55) box.write(pick(ids), { text });
    else if (dice < 0.62) box.touch(pick(ids));
    else if (dice < 0.74) box.remove(pick(ids));
    // The folder that a message has left always reports it. A message that escapes a walk by a move that its new folder
    // does not report is found by the next walk alone.
    else if (dice < 0.97)
      box.move(pick(ids), pick(FEEDS), box === steady && hour > WALKED_BY ? 'found' : 'both');
    else if (box !== steady) box.forget();
  };
  world.fail(() => {
    if (random() < 0.25) act();
    return random() < 0.04 ? new ConnectorError(pick(['transient', 'throttled']), 'http_status_503') : null;
  });

  const sourceOf = (of: TenantId, family: string) =>
    of === tenantId && family === 'mail' ? world.source : null;
  const run = { signal: new AbortController().signal, budgetMs: 60_000 };
  const request = () => write({ parts: { db: database.db }, tenantId }, (tx) => requestSync(tx, 'mail', now));
  /** Runs in a process that may die before any of its transactions. */
  const runOnce = async () => {
    const process = mortalProcess(database, random() < 0.4 ? 1 + Math.floor(random() * 25) : 1_000);
    const running = syncDue(syncParts(database, clock, process.db), sourceOf, run).catch(() => undefined);
    await Promise.race([running, process.halt]);
    void process.db.close();
    now += LEASE_MS + 1;
  };
  for (; hour < HOURS; hour++) {
    for (let n = 0; n < ACTS_AN_HOUR; n++) act();
    await request();
    await Promise.all([runOnce(), runOnce()]);
    now += HOUR_MS;
  }

  world.fail(null);
  for (let left = 20; left > 0; left--) {
    if (left > 17) await request();
    await syncDue(syncParts(database, clock), sourceOf, run);
    now += LEASE_MS + 1;
  }
  for (const { place } of boxes) {
    const expected = [...place.messages.values()]
      .map(({ externalId: id, feed, contentVersion, sourceVersion, body }) => ({
        ...{ id, feed, contentVersion, sourceVersion },
        preview: body?.text.replace(IBAN, 'DE42 •••• •••• •••• ••68 71'),
        proven: body?.text.includes(IBAN) ? 1 : 0,
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const rows = await storedMessages(database, tenantId, place.container.externalId);
    const shown = rows
      .map(({ id, feed, contentVersion, sourceVersion, preview, signals }) => ({
        ...{ id, feed, contentVersion, sourceVersion, preview, proven: signals.length },
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    expect({ seed, shown }).toEqual({ seed, shown: expected });
  }
  const [finding] = await database.inspect<{ wrong: number; containers: number; others: number }>(sql`
    select count(*) filter (where (f.status = 'open') is distinct from (m.signals <> '[]'))::int as wrong,
           (select count(*)::int from message_containers where coverage = 'covered') as containers,
           (select count(*)::int from messages where tenant_id <> ${tenantId}) as others
      from messages m left join message_findings f using (tenant_id, message_id)
     where f.finding_id is not null or m.signals <> '[]'`);
  expect({ seed, ...finding }).toEqual({ seed, wrong: 0, containers: 2, others: 0 });
}, 240_000);
