import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScheduledDeltas } from '../../core/campaigns/scheduled-deltas.ts';
import type { FeedConnector } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { expireSubscriptions } from '../../core/notifications/expire.ts';
import { followUp } from '../../core/notifications/follow-up.ts';
import { renewSubscriptions } from '../../core/notifications/renew.ts';
import { resubscribeAll } from '../../core/notifications/resubscribe.ts';
import { completeSubscription, registerSubscription } from '../../core/notifications/subscribe.ts';
import { type Runtime, useRuntime } from '../../core/runtime.ts';
import type { Worker } from '../../core/work/worker.ts';
import { chaosSeed, randomFrom } from '../support/chaos.ts';
import { startService, type TestService } from '../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { clientOf, cloudOf, connectorOf } from '../support/graph/connect.ts';
import type { Fault } from '../support/graph/faults.ts';
import type { FakeLibrary, GraphFake } from '../support/graph/graph-fake.ts';
import {
  knownAssets,
  libraryTruth,
  liveWorker,
  makeLiveTenant,
  startLiveScan,
} from '../support/graph/live-scan.ts';
import { noGraph } from '../support/graph/no-graph.ts';
import { APP, smallFake } from '../support/graph/small-tenant.ts';
import { openUnits } from '../support/work-truth.ts';

const MINUTE_MS = 60_000;
/** Between the sweeps. Renewals need one within their last 20 minutes. */
const STEP_MINUTES = 15;
/** Longer than units wait before they are tried again. */
const RETRY_MS = MINUTE_MS;
const DAY_MINUTES = 24 * 60;
const START = Date.UTC(2026, 2, 1);
const TENANT = 'live' as TenantId;
/** Recorded (microsoftgraph/msgraph-sdk-dotnet#2805). */
const VALIDATION_TIMED_OUT: Fault = {
  ...{ kind: 'error' as const, status: 400, code: 'ValidationError' },
  message: 'Subscription validation request timed out.',
};

let database: TestDatabase;
let service: TestService;
let fake: GraphFake;
let library: FakeLibrary;
let connector: FeedConnector;
let worker: Worker;
let runtime: Runtime;
let scopeId: ScopeId;
let now = START;
const seed = chaosSeed();
const random = randomFrom(seed);
const below = (n: number) => Math.floor(random() * n);

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
  service = await startService(database);
  fake = await smallFake({}, { clock: () => now });
  library = fake.library('Finance');
  connector = connectorOf(fake, APP.clientId);
  worker = liveWorker(database.url, { db: database.db, clock: () => now, connector });
  scopeId = await makeLiveTenant(database, library, TENANT, now);
  useSecret('the first secret of the sessions');
});
afterAll(async () => {
  await service.close();
  await fake.close();
  await database.drop();
});

/** The service in mode `graph`, with the fake as Graph, the clock of this test, and the address that it listens at. */
function useSecret(secret: string, previous?: string): void {
  const composed = service.runtime();
  runtime = {
    ...composed,
    clock: () => now,
    graph: { ...noGraph, cloud: cloudOf(fake), reads: () => clientOf(fake, APP.clientId) },
    config: {
      ...composed.config,
      SVC_CONNECTOR_MODE: 'graph',
      SVC_CHANGE_NOTIFICATIONS_ENABLED: true,
      SVC_WEBHOOK_PUBLIC_URL: service.url,
      SVC_GRAPH_SITES: ['all'],
      SVC_GRAPH_TENANT_ID: fake.tenant().id,
      SVC_GRAPH_CLIENT_ID: APP.clientId,
      SVC_GRAPH_CLIENT_SECRET_REF: 'GRAPH_SECRET',
      secret: () => APP.secret,
      SVC_SESSION_SECRET: secret,
      ...(previous !== undefined && { SVC_SESSION_SECRET_PREVIOUS: previous }),
    },
  };
  useRuntime(runtime);
}

/** Subscribes the scope, unless it has a subscription. */
async function subscribe(): Promise<void> {
  const registration = await registerSubscription(runtime, TENANT, scopeId);
  await withTx(database.db, { tenantId: TENANT, mode: 'write' }, (tx) =>
    completeSubscription(tx, registration),
  );
}

const idle = { signal: new AbortController().signal, budgetMs: MINUTE_MS };
/** What the timers of the service run. */
async function timers(): Promise<void> {
  await renewSubscriptions(runtime, idle);
  await resubscribeAll(runtime, idle);
  await expireSubscriptions(runtime, idle);
  await followUp(runtime);
}

const fetchedTwice: string[] = [];
const fetches = new Set<string>();
/** Runs what is due, and notes each version of a content that is fetched again. */
async function drain(): Promise<void> {
  fake.clearCalls();
  await worker.drain(Number.POSITIVE_INFINITY, idle.signal);
  while ((await openUnits(database)) > 0) {
    now += RETRY_MS;
    await worker.drain(Number.POSITIVE_INFINITY, idle.signal);
  }
  for (const { path } of fake.callsOf('content')) {
    const id = /\/items\/([^/]+)\/content/.exec(path)?.[1] ?? '';
    const fetch = `${id} ${library.drive.items.get(id)?.contentRevision}`;
    if (fetches.has(fetch)) fetchedTwice.push(fetch);
    fetches.add(fetch);
  }
}

let made = 0;
/** Something that somebody does. Sharing is not notified: only the next scheduled delta tells of it. */
function act(): void {
  const files = [...library.drive.items.values()].filter(({ kind, deleted }) => kind === 'file' && !deleted);
  const folders = [...library.drive.items.values()].filter(
    ({ kind, deleted, parentId }) => kind === 'folder' && !deleted && parentId !== null,
  );
  const file = files[below(files.length)]?.id ?? '';
  const folder = folders[below(folders.length)]?.id ?? '';
  const acts = [
    () => library.addTo(folder, `file ${made}.txt`, `content ${made}`),
    () => library.edit(file, `edited ${made}`),
    () => library.rename(file, `renamed ${made}.txt`),
    () => library.move(file, folder),
    () => library.rename(folder, `folder ${made}`),
    () => (files.length > 5 ? library.remove(file) : undefined),
    () => library.share(file, { to: 'link', scope: 'organization', type: 'view' }),
  ];
  made++;
  acts[below(acts.length)]?.();
}

const deltas = async (): Promise<number> => {
  const [row] = await database.inspect<{ count: number }>(sql`
    select count(*)::int as count from campaigns where tenant_id = ${TENANT} and kind = 'delta'`);
  return row?.count ?? 0;
};
const expectTruth = async (when: string) =>
  expect({ seed, when, assets: await knownAssets(database, TENANT) }).toEqual({
    ...{ seed, when },
    assets: await libraryTruth(library, connector),
  });
const notified = () => fake.notifications;
const at = (hours: number, minute: number) => minute === hours * 60;

/** Of each that waits: a fifth is lost, a fifth doubled, and between four and seven o'clock none arrives. */
const copies = (minute: number) => () => {
  if (minute >= 4 * 60 && minute < 7 * 60) return 0;
  return [0, 1, 1, 1, 2][below(5)] ?? 1;
};

test('a day of lost, doubled, reordered and forged notifications misses no change', async () => {
  for (let n = 0; n < 12; n++) library.add(`folder ${n % 3}/file ${n}.txt`, `first ${n}`);
  await startLiveScan(database.db, { tenantId: TENANT, scopeId }, 'inventory', now);
  await drain();
  await expectTruth('after the inventory');
  await subscribe();
  let sent = 0;
  let scheduled = 0;

  for (let minute = STEP_MINUTES; minute <= DAY_MINUTES; minute += STEP_MINUTES) {
    now = Math.max(now, START + minute * MINUTE_MS);
    // Graph drops it at nine, and wants it authorized again at twelve. The secret changes at sixteen.
    if (at(9, minute)) await notified().lifecycle(fake.tenant(), 'subscriptionRemoved');
    // Refuses two renewals at ten, so that the sweep registers again.
    if (at(10, minute)) fake.fail({ on: 'subscription_renew', times: 2, fault: VALIDATION_TIMED_OUT });
    if (at(12, minute)) await notified().lifecycle(fake.tenant(), 'reauthorizationRequired');
    if (at(14, minute)) await notified().lifecycle(fake.tenant(), 'missed');
    if (at(16, minute)) useSecret('the second secret of the sessions', 'the first secret of the sessions');
    await timers();
    // The source pauses a subscription that it wants authorized again, until then.
    expect([...fake.tenant().subscriptions.values()].filter(({ paused }) => paused)).toEqual([]);
    await drain();

    for (let n = below(3); n > 0; n--) act();
    const order = (all: readonly never[]) => all.toSorted(() => random() - 0.5);
    const answers = await notified().deliver({ copies: copies(minute), order: order as never });
    expect(answers.filter((status) => status !== 202)).toEqual([]);
    sent += answers.length;
    const before = await deltas();
    const url = `${service.url}/api/webhooks/graph/notifications`;
    // With an id that somebody guessed, and with a real one and no secret.
    const forged = [
      {},
      ...[...fake.tenant().subscriptions.keys()].map((subscriptionId) => ({ subscriptionId })),
    ];
    for (const fields of forged) expect(await notified().forge(url, fields)).toBe(202);
    expect(await deltas()).toBe(before);
    await drain();

    if (minute % 60 === 0) {
      scheduled += await startScheduledDeltas(runtime, idle.signal);
      await drain();
      await expectTruth(`after the scheduled delta of ${minute / 60}:00`);
    }
  }

  // A unit whose asset another unit changed meanwhile runs again, and fetches what it had not stored.
  expect(fetchedTwice.length, JSON.stringify({ seed, fetchedTwice })).toBeLessThanOrEqual(2);
  const twice = sql`
    select asset_id, source_version from asset_versions where tenant_id = ${TENANT}
     group by asset_id, source_version having count(*) > 1`;
  expect(await database.inspect(twice)).toEqual([]);
  // No more deltas than notifications, one for `missed`, and one for each of two registrations after a loss. A scheduled one starts unless another has not ended.
  expect(await deltas()).toBeLessThanOrEqual(sent + 3 + scheduled);
  expect(scheduled).toBe(24);
  const [subscription] = await database.inspect(sql`
    select status, last_error from change_subscriptions where tenant_id = ${TENANT}`);
  expect(subscription).toEqual({ status: 'active', last_error: null });
  // Each change of the secret or loss at the source ends with one subscription there.
  expect(fake.tenant().subscriptions.size).toBe(1);
  expect(fake.violations).toEqual([]);
});
