import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withEngineTx } from '../../core/db/tx.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import type { ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { UnitFailure } from '../../core/work/failure.ts';
import { createFleetMember, leaseOwnerOf, sweepFleet } from '../../core/work/fleet.ts';
import { listScanners, registerScanner } from '../../core/work/scanners.sql.ts';
import type { UnitHandler } from '../../core/work/unit.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const HOURS = 3_600_000;
let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let tenants = 0;
let logged: { event: string; count?: number; apartMs?: number }[];

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  logged = [];
  await database.inspect(sql`truncate campaigns, work_units cascade`);
  await database.inspect(sql`delete from scanners`);
  tenantId = `clock-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, Date.now());
});
afterEach(() => {
  vi.useRealTimers();
});

const log = createLogger({
  level: 'debug',
  clock: systemClock,
  destination: { write: (line) => logged.push(JSON.parse(line)) },
});
/** The clock of this process is wrong by so much from now on. That of the database is not. */
const setClockBy = (hours: number) => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  vi.setSystemTime(Date.now() + hours * HOURS);
};

/** A process as `compose` makes it. */
function process(scannerId: string, handler: UnitHandler) {
  const parts = { owner: leaseOwnerOf(scannerId, Date.now()), db: database.db, clock: systemClock, log };
  const worker = createWorker({
    ...parts,
    metrics: createMetrics(),
    doorbell: null,
    handlers: { process_asset: handler },
    concurrency: 4,
  });
  const fleet = createFleetMember({
    ...parts,
    scannerId,
    displayName: scannerId,
    host: 'a-host',
    tally: worker.tally,
  });
  return { fleet, drain: () => worker.drain(60_000, new AbortController().signal) };
}

/** How far times are ahead of the clock of the database, in seconds. */
const ahead = async () => {
  const [row] = await database.inspect<{
    runAfter: number;
    lease: number | null;
    heartbeat: number | null;
  }>(sql`
    select extract(epoch from max(run_after) - now())::float8 as "runAfter",
           extract(epoch from max(lease_expires_at) - now())::float8 as lease,
           (select extract(epoch from max(heartbeat_at) - now())::float8 from scanners) as heartbeat
      from work_units`);
  return row;
};
const statuses = async () => {
  const rows = await database.inspect<{ status: string }>(sql`select distinct status from work_units`);
  return rows.map(({ status }) => status);
};

describe.each([3, -3])('a process whose clock is %i hours off', (hours) => {
  test('neither holds back units, leases and heartbeats, nor takes what is not due', async () => {
    setClockBy(hours);
    let during: Awaited<ReturnType<typeof ahead>>;
    const failing = process('wrong', async () => {
      during ??= await ahead();
      throw new UnitFailure('transient', 'share_unreachable');
    });
    await makeCampaign(database.db, tenantId, scopeId, 5, Date.now());
    await failing.fleet.join();
    expect((await ahead())?.runAfter).toBeLessThanOrEqual(0);
    // The retries are due half a second later, by the clock of the database: this drain does not wait for them.
    expect(await failing.drain()).toBe(5);
    expect(during?.lease).toBeGreaterThan(50);
    expect(during?.lease).toBeLessThanOrEqual(60);
    expect(during?.heartbeat).toBeLessThanOrEqual(0);
    expect(during?.heartbeat).toBeGreaterThan(-10);
    const retries = await ahead();
    expect(retries?.runAfter).toBeGreaterThan(0);
    expect(retries?.runAfter).toBeLessThanOrEqual(0.5);
    expect((await withEngineTx(database.db, (tx) => listScanners(tx, 'of the database')))[0]?.status).toBe(
      'active',
    );

    vi.useRealTimers();
    await sleep(600);
    expect(await process('right', async () => ({ observe: 'computed' })).drain()).toBe(5);
    expect(await statuses()).toEqual(['completed']);
  });

  test('is told, once', async () => {
    setClockBy(hours);
    const one = process('wrong', async () => ({ observe: 'computed' }));
    await one.fleet.join();
    for (let beats = 0; beats < 3; beats++) {
      await vi.advanceTimersByTimeAsync(10_000);
      await sleep(50);
    }
    await one.fleet.leave();
    const told = logged.filter(({ event }) => event === 'clock_apart');
    expect(told).toHaveLength(1);
    expect(Math.round((told[0]?.apartMs ?? 0) / HOURS)).toBe(Math.abs(hours));
  });
});

describe('the sweep', () => {
  const sweep = () => sweepFleet({ db: database.db, clock: systemClock, log, doorbell: null });
  const scanner = (scannerId: string) =>
    withEngineTx(database.db, (tx) =>
      registerScanner(tx, { scannerId, displayName: 'a', host: 'a', version: '1' }, 'of the database'),
    );

  test('brings back what lies further ahead than any rule allows, and tells it', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 6, Date.now());
    await scanner('one');
    await scanner('two');
    await database.inspect(
      sql`update scanners set heartbeat_at = now() + interval '3 hours' where scanner_id = 'one'`,
    );
    // Never tried, and due in three hours; tried, and due in two days; leased for three hours.
    await database.inspect(sql`
      with numbered as (select unit_id, row_number() over (order by unit_id) as n from work_units)
      update work_units u
         set run_after = case when n <= 2 then now() + interval '3 hours' when n = 3 then now() + interval '2 days'
                              else run_after end,
             attempt = case when n >= 3 then 1 else 0 end,
             status = case when n = 4 then 'leased' else 'pending' end,
             lease_owner = case when n = 4 then 'one:boot' end,
             lease_expires_at = case when n = 4 then now() + interval '3 hours' end
        from numbered where u.unit_id = numbered.unit_id`);
    await sweep();
    expect(logged).toContainEqual(expect.objectContaining({ event: 'times_brought_back', count: 5 }));
    const after = await ahead();
    expect(after?.runAfter).toBeLessThanOrEqual(0);
    expect(after?.heartbeat).toBeLessThanOrEqual(0);
    expect(after?.lease).toBeLessThanOrEqual(60);
    expect(after?.lease).toBeGreaterThan(50);
    logged = [];
    await sweep();
    expect(logged).toEqual([]);
  });

  test('leaves what a rule allows: a delay that a source asked for, and a lease', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 2, Date.now());
    await scanner('one');
    await database.inspect(sql`
      update work_units set attempt = 1, run_after = now() + interval '23 hours'
       where unit_id = (select min(unit_id) from work_units)`);
    await database.inspect(sql`
      update work_units set status = 'leased', attempt = 1, lease_owner = 'one:boot', lease_expires_at = now() + interval '60 seconds'
       where unit_id = (select max(unit_id) from work_units)`);
    await sweep();
    expect(logged).toEqual([]);
    expect((await ahead())?.runAfter).toBeGreaterThan(22 * 3_600);
  });
});
