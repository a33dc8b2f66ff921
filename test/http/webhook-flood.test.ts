import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { clientStateOf } from '../../core/notifications/client-state.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const SECRET = 'a secret of these tests alone';
const NOTIFICATIONS = '/api/webhooks/graph/notifications';
const LIFECYCLE = '/api/webhooks/graph/lifecycle';

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let subscription: { subscription_id: string; external_id: string };

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  service = await startService(database, { SVC_SESSION_SECRET: SECRET, SVC_LOG_LEVEL: 'warn' });
  admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect', {});
  const [source] = (await admin.get<{ items: { scopeId: string }[] }>('/api/sources')).body.items;
  await admin.post('/api/admin/notifications/subscribe', { scopeId: source?.scopeId });
  [subscription = { subscription_id: '', external_id: '' }] = await database.inspect<typeof subscription>(
    sql`select subscription_id, external_id from change_subscriptions`,
  );
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

/** Of every table: its rows, where they lie and which transactions last wrote or locked them. */
async function stateOfTables(): Promise<Record<string, string>> {
  const tables = await database.inspect<{ name: string }>(sql`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`);
  const states: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await database.inspect<{ state: string }>(sql`
      select coalesce(md5(string_agg(concat(ctid, xmin, xmax), ',' order by ctid)), '') || ' ' || count(*) as state
        from ${sql.ident(name)}`);
    states[name] = row?.state ?? '';
  }
  return states;
}

/** How many have been refused so far as the source of nobody's subscription, which goes on after the answers. */
const unknown = () =>
  service.runtime().metrics.snapshot().counters['change_notification:rejected:unknown_subscription'] ?? 0;

/** Takes turns between what anybody could send: an id of their own, and a known one without its proof. */
const forged = (n: number) => ({
  subscriptionId: n % 2 === 0 ? `guess-${n}` : subscription.external_id,
  clientState: clientStateOf('a guess', `${n}`),
  changeType: 'updated',
  lifecycleEvent: 'subscriptionRemoved',
});
const ITEMS = 4;
const REQUESTS = 500;
const flood = async () => {
  const statuses = new Set<number>();
  for (let from = 0; from < REQUESTS; from += 100) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        service.anonymous.post(index % 10 === 0 ? LIFECYCLE : NOTIFICATIONS, {
          value: Array.from({ length: ITEMS }, (_, n) => forged((from + index) * ITEMS + n)),
        }),
      ),
    );
    for (const { status } of answers) statuses.add(status);
  }
  return statuses;
};

test('two thousand foreign notifications write and lock nothing and delay nobody', async () => {
  const before = await stateOfTables();
  const flooding = flood();
  const answers = await Promise.all(Array.from({ length: 20 }, () => admin.get('/api/auth/me')));
  for (const { status } of answers) expect(status).toBe(200);
  expect([...(await flooding)]).toEqual([202]);

  const sent = (REQUESTS * 9 * ITEMS) / 10;
  await expect.poll(unknown).toBe(sent / 2);
  const { counters } = service.runtime().metrics.snapshot();
  expect(service.logs.filter((line) => line.includes('hint_lost'))).toEqual([]);
  expect(counters['change_notification:rejected:client_state_mismatch']).toBe(sent / 2);
  expect(Object.keys(counters).filter((name) => name.startsWith('change_lifecycle'))).toEqual([]);
  const after = await stateOfTables();
  expect(Object.keys(after).length).toBeGreaterThan(20);
  expect(after).toEqual(before);
});

test('the check would have seen a row lock', async () => {
  const before = await stateOfTables();
  await database.inspect(sql`select from change_subscriptions for update`);
  expect(await stateOfTables()).not.toEqual(before);
});

test('a hint that holds is found among those that do not', async () => {
  const value = Array.from({ length: 200 }, (_, n) => forged(n));
  const { subscription_id, external_id } = subscription;
  value.push({
    ...forged(0),
    subscriptionId: external_id,
    clientState: clientStateOf(SECRET, subscription_id),
  });
  const before = unknown();
  await service.anonymous.post(NOTIFICATIONS, { value });
  await expect.poll(() => unknown() - before).toBe(100);
  await expect.poll(() => database.inspect(sql`select outcome from change_notifications`)).toHaveLength(1);
});

test('more than a thousand items of one request are not looked at', async () => {
  const before = unknown();
  const value = Array.from({ length: 1_500 }, (_, n) => ({ ...forged(2 * n), clientState: undefined }));
  await service.anonymous.post(NOTIFICATIONS, value);
  await expect.poll(() => unknown() - before).toBe(1_000);
});

test('the time taken is that of a known and of an unknown subscription alike', async () => {
  const taken = async (subscriptionId: string) => {
    const began = performance.now();
    await service.anonymous.post(NOTIFICATIONS, [{ subscriptionId, clientState: 'x'.repeat(64) }]);
    return performance.now() - began;
  };
  const known: number[] = [];
  const others: number[] = [];
  for (let n = 0; n < 41; n++) await taken('warm-up');
  // By turns: whatever else the machine does slows both.
  for (let n = 0; n < 41; n++) {
    known.push(await taken(subscription.external_id));
    others.push(await taken('unknown'));
  }
  const median = (times: number[]) => times.sort((a, b) => a - b)[20] ?? 0;
  const ratio = median(known) / median(others);
  expect(ratio).toBeGreaterThan(0.2);
  expect(ratio).toBeLessThan(5);
});
