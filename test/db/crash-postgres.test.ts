import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { newId, type TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { LEASE_MS } from '../../core/work/lease.sql.ts';
import { withLeasedTx } from '../../core/work/leased-tx.ts';
import type { UnitHandler } from '../../core/work/unit.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import {
  type Act,
  chaosHandler,
  chaosSeed,
  makeChaos,
  NOTHING_WRONG,
  randomFrom,
  whatIsWrong,
} from '../support/chaos.ts';
import { startTestCluster } from '../support/cluster.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { contradictions, doubleEffects, leaveEffect, makeEffects, openUnits } from '../support/work-truth.ts';

/** The server of these tests is their own, and ends in their middle. */
let server: Awaited<ReturnType<typeof startTestCluster>>;
let database: TestDatabase;
let now = Date.now();

beforeAll(async () => {
  server = await startTestCluster({ durable: true });
  database = await createTestDatabase({ max: 8, cluster: server.cluster });
  await makeEffects(database);
  // What nobody waits for reaches the disk late: a crash takes leases back.
  await database.inspect(sql`alter system set wal_writer_delay = '10s'`);
  await database.inspect(sql`select pg_reload_conf()`);
});
afterAll(async () => {
  await database?.drop();
  await server?.remove();
});

const worker = (handler: UnitHandler, concurrency: number) =>
  createWorker({
    owner: newId('wrk', now),
    db: database.db,
    clock: () => now,
    // That drains fail meanwhile is what is looked for.
    log: createLogger({ level: 'error', clock: () => now, destination: { write: () => undefined } }),
    metrics: createMetrics(),
    doorbell: null,
    handlers: { process_asset: handler },
    concurrency,
  });

/** A drain that meets a server that is away is tried again, as the sweep does with its doorbell. */
async function drain(draining: ReturnType<typeof worker>): Promise<void> {
  const { signal } = new AbortController();
  for (;;) {
    await draining.drain(Number.POSITIVE_INFINITY, signal);
    if (draining.problem() === null) return;
    await sleep(100);
    now += 500;
  }
}

test('a unit whose lease was lost with the server runs once, though leased again', async () => {
  const units = 4;
  const tenantId = 'lost' as TenantId;
  const scopeId = await makeTenant(database, tenantId, now);
  const campaignId = await makeCampaign(database.db, tenantId, scopeId, units, now);
  const begun: PromiseWithResolvers<void>[] = Array.from({ length: units + 1 }, () =>
    Promise.withResolvers(),
  );
  const open = Promise.withResolvers<void>();
  let runs = 0;
  const slow = worker(async (unit) => {
    begun[runs++]?.resolve();
    await open.promise;
    await withLeasedTx(database.db, unit, (tx) => leaveEffect(tx, unit));
    return { observe: 'computed' };
  }, units + 2);
  const first = drain(slow);
  await begun[units - 1]?.promise;
  await server.restart('SIGKILL');
  const second = drain(slow);
  await Promise.race([second, begun[units]?.promise]);
  open.resolve();
  await Promise.all([first, second]);
  expect(runs).toBe(units);
  expect(await doubleEffects(database)).toEqual([]);
  expect(await contradictions(database)).toEqual([]);
  expect(await database.inspect(sql`select status from campaigns where campaign_id = ${campaignId}`)).toEqual(
    [{ status: 'completed' }],
  );
});

const UNITS = NIGHTLY ? 500 : 250;
const actOf = (n: number): Act => (n % 13 === 5 ? 'grows' : n % 17 === 3 ? 'refuses' : 'works');

test('a server that restarts in the middle loses nothing and repeats nothing', async () => {
  const seed = chaosSeed();
  const random = randomFrom(seed);
  const { campaignId } = await makeChaos(database, 'restarts' as TenantId, UNITS, actOf, now);
  let over = false;
  const serve = async () => {
    const serving = worker(
      chaosHandler(database.db, () => now),
      3,
    );
    while (!over) await drain(serving);
  };
  const serving = [serve(), serve()];
  for (const how of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    await sleep(50 + random() * 150);
    await server.restart(how);
  }
  // Leases of what could not be settled run out; what failed since the server was away becomes due.
  while ((await openUnits(database)) > 0) {
    await sleep(50);
    now += LEASE_MS / 2;
  }
  over = true;
  await Promise.all(serving);
  expect({ seed, ...(await whatIsWrong(database, [campaignId])) }).toEqual({ seed, ...NOTHING_WRONG });
});
