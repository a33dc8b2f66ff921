import { expect, test } from 'vitest';
import { createPool } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { withEngineTx, withQueueTx } from '../../core/db/tx.ts';
import { type CampaignId, newId, type TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { leaseUnits, renewLeases } from '../../core/work/lease.sql.ts';
import { withLeasedTx } from '../../core/work/leased-tx.ts';
import { type Settlement, settleUnits } from '../../core/work/settle.sql.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { chaosHandler, makeChaos, NOTHING_WRONG, whatIsWrong } from '../support/chaos.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { makeEffects } from '../support/work-truth.ts';

const CAMPAIGNS = NIGHTLY ? 30 : 12;
const UNITS = 40;
const WORKERS = 4;

/** Deadlocks so far. A session tells what it counted when it ends. */
async function deadlocks({ inspect }: TestDatabase): Promise<number | undefined> {
  const [row] = await inspect<{ deadlocks: number }>(sql`
    select deadlocks::int from pg_stat_database where datname = current_database()`);
  return row?.deadlocks;
}

test('workers with batches of the same campaigns never deadlock', async () => {
  const database = await createTestDatabase();
  try {
    await makeEffects(database);
    const campaigns: CampaignId[] = [];
    for (let n = 0; n < CAMPAIGNS; n++) {
      // Not in the order in which they are made.
      const tenantId = `circle-${(n * 7) % CAMPAIGNS}` as TenantId;
      const actOf = (unit: number) => (unit % 9 === 4 ? 'grows' : unit % 10 === 3 ? 'refuses' : 'works');
      campaigns.push((await makeChaos(database, tenantId, UNITS, actOf, Date.now())).campaignId);
    }
    const drain = async () => {
      const db = createPool(database.url, { max: 6, applicationName: 'test' });
      const worker = createWorker({
        owner: newId('wrk', Date.now()),
        db,
        clock: Date.now,
        log: createLogger({ level: 'error', clock: Date.now }),
        metrics: createMetrics(),
        doorbell: null,
        handlers: { process_asset: chaosHandler(db, Date.now) },
        concurrency: 4,
      });
      await worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);
      await db.close();
    };
    await Promise.all(Array.from({ length: WORKERS }, drain));
    expect(await deadlocks(database)).toBe(0);
    expect(await whatIsWrong(database, campaigns)).toEqual(NOTHING_WRONG);
  } finally {
    await database.drop();
  }
});

test('a worker that settles units while it renews their leases never waits for itself', async () => {
  const database = await createTestDatabase();
  const db = createPool(database.url, { max: 3, applicationName: 'test' });
  try {
    const now = Date.now();
    const tenantId = 'alone' as TenantId;
    const scopeId = await makeTenant(database, tenantId, now);
    // Few rows would be read in their order anyway.
    await makeCampaign(db, tenantId, scopeId, 20_000, now);
    await database.inspect(sql`analyze work_units`);
    const units = await withEngineTx(db, (tx) => leaseUnits(tx, 'a', { units: 3, orphans: 0 }, now));
    const [first, , last] = units;
    if (first === undefined || last === undefined) throw new Error('Nothing was leased');
    const waiting = () => lockWaits(database);
    let after: Promise<unknown> = Promise.resolve();
    // Both wait for a handler that writes, and go on at once.
    await withLeasedTx(db, first, async () => {
      const unitIds = units.map(({ unitId }) => unitId);
      const renewed = withEngineTx(db, (tx) => renewLeases(tx, 'a', unitIds, now));
      await expect.poll(waiting, { timeout: 10_000 }).toBe(1);
      const settlements = [last, first].map(({ unitId, attempt }): Settlement => {
        const ended = {
          runAfter: null,
          retryClass: null,
          safeDiagnostic: null,
          deadLetterId: null,
          stages: {},
        };
        return { unitId, attempt, result: 'completed', ...ended };
      });
      const settled = withQueueTx(db, { lasting: true, planned: 'each time' }, (tx) =>
        settleUnits(tx, 'a', settlements, now),
      );
      await expect.poll(waiting, { timeout: 10_000 }).toBe(2);
      after = Promise.all([renewed, settled]);
    });
    await after;
    await db.close();
    expect(await deadlocks(database)).toBe(0);
  } finally {
    await database.drop();
  }
});
