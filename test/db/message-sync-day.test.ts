import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../core/config/config.ts';
import { ConnectorError } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import type { Db } from '../../core/db/tx.ts';
import type { PrincipalId, TenantId } from '../../core/kernel/ids.ts';
import { syncDue } from '../../core/messages/sync-due.ts';
import { syncFamily } from '../../core/messages/sync-family.ts';
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
const FEEDS = { mail: ['archive', 'inbox', 'sent'], chat: [''] } as const;
/** By then the first walk is over. */
const WALKED_BY = 8;
/** When the configuration selects a third container. */
const THIRD_AT = 10;
const IBAN = 'DE42 2327 2985 9310 4668 71';

/**
 * Runs of the timer, and requests of people, in an hour. What another source learns by notifications, this one learns by
 * them: in some hours all are lost, in some they are doubled, at once.
 */
const timersIn = (hour: number) => [0, 2, 1][hour % 3] ?? 0;
const requestsIn = (hour: number) => [1, 0, 2, 0][hour % 4] ?? 0;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test.each(['mail', 'chat'] as const)(
  'a day of changes, lost and doubled syncs and crashes ends as %s has it',
  async (family) => {
    const seed = chaosSeed();
    const random = randomFrom(seed);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const tenantId = `day-${family}` as TenantId;
    let now = Date.UTC(2026, 10, 1);
    const clock = () => now;
    await makeTenant(database, tenantId, now);
    const world = changingMessages(family);
    const feeds = [...FEEDS[family]];
    const boxes = ['anna', 'bernd'].map((name) => world.add(name, { feeds }));
    const [steady] = boxes;
    let written = 0;
    let hour = 0;
    const seen = { noRun: 0, doubled: 0, died: 0, late: 0 };

    const act = () => {
      const box = pick(boxes);
      const ids = [...box.place.messages.keys()];
      const dice = random();
      const text = random() < 0.3 ? `Pay to ${IBAN} (${written})` : `Note ${written}`;
      if (dice < 0.4 || ids.length === 0) box.write(`m${written++}`, { text, feed: pick(feeds) });
      else if (dice < 0.55) box.write(pick(ids), { text });
      else if (dice < 0.62) box.touch(pick(ids));
      else if (dice < 0.74) box.remove(pick(ids));
      // The folder that a message has left always reports it. A message that escapes a walk by a move that its new folder
      // does not report is found by the next walk alone.
      else if (dice < 0.97)
        box.move(pick(ids), pick(feeds), box === steady && hour > WALKED_BY ? 'found' : 'both');
      else if (box !== steady) box.forget();
    };
    world.fail(() => {
      if (random() < 0.25) act();
      return random() < 0.04 ? new ConnectorError(pick(['transient', 'throttled']), 'http_status_503') : null;
    });

    const sourceOf = (of: TenantId, asked: string) =>
      of === tenantId && asked === family ? world.source : null;
    const run = { signal: new AbortController().signal, budgetMs: 60_000 };
    const config = loadConfig({
      ...{ SVC_ENV: 'development', SVC_DATABASE_URL: database.url, SVC_MESSAGE_SYNC_HOURS: '1' },
    });
    const partsOf = (db: Db) => ({ ...syncParts(database, clock, db), config });
    const audit = { tenantId, principalId: 'somebody' as PrincipalId, correlationId: 'cor_1' };
    const byTimer = (db: Db) => syncDue(partsOf(db), sourceOf, run);
    const byRequest = (db: Db) => syncFamily(partsOf(db), audit, world.source, run.signal);
    const request = () =>
      write({ parts: { db: database.db }, tenantId }, (tx) => requestSync(tx, family, now));

    /** Processes that stopped in the middle. They go on when others have done their work. */
    const stopped: (() => Promise<void>)[] = [];
    /** Runs in a process that may die, or stop, before any of its transactions. */
    const runOnce = async (sync: (db: Db) => Promise<unknown>) => {
      const dice = random();
      const how = dice < 0.2 ? 'stops' : 'dies';
      const haltsAt = dice < 0.5 ? 1 + Math.floor(random() * 25) : 100_000;
      const process = mortalProcess(database, haltsAt, how);
      let isHalted = true;
      const running = sync(process.db)
        .catch(() => undefined)
        .finally(() => {
          isHalted = false;
        });
      await Promise.race([running, process.halt]);
      if (isHalted && how === 'stops') {
        seen.late++;
        stopped.push(async () => {
          process.goOn();
          await running;
          await process.db.close();
        });
        return;
      }
      if (isHalted) seen.died++;
      void process.db.close();
    };
    for (; hour < HOURS; hour++) {
      if (hour === THIRD_AT) boxes.push(world.add('carla', { feeds }));
      for (let n = 0; n < ACTS_AN_HOUR; n++) act();
      const timers = timersIn(hour);
      const requests = requestsIn(hour);
      if (timers + requests === 0) seen.noRun++;
      if (timers > 1 || requests > 1) seen.doubled++;
      const late = stopped.splice(0);
      await Promise.all([
        ...Array.from({ length: timers }, () => runOnce(byTimer)),
        ...Array.from({ length: requests }, () => runOnce(byRequest)),
      ]);
      // Their leases have ended, and others have had their work.
      now += LEASE_MS + 1;
      await Promise.all(late.map((goOn) => goOn()));
      now += HOUR_MS;
    }
    await Promise.all(stopped.map((goOn) => goOn()));
    expect(Math.min(...Object.values(seen)), JSON.stringify({ seed, ...seen })).toBeGreaterThan(0);

    world.fail(null);
    for (let left = 20; left > 0; left--) {
      if (left > 17) await request();
      await byTimer(database.db);
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
    const [finding] = await database.inspect<{ wrong: number; containers: number; held: number }>(sql`
    select count(*) filter (where (f.status = 'open') is distinct from (m.signals <> '[]'))::int as wrong,
           (select count(*)::int from message_containers
             where tenant_id = ${tenantId} and coverage = 'covered') as containers,
           (select count(*)::int from message_containers
             where tenant_id = ${tenantId} and lease_owner is not null) as held
      from messages m left join message_findings f using (tenant_id, message_id)
     where m.tenant_id = ${tenantId} and (f.finding_id is not null or m.signals <> '[]')`);
    expect({ seed, ...finding }).toEqual({ seed, wrong: 0, containers: 3, held: 0 });
  },
  240_000,
);
