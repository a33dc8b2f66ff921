import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { findCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { createPool, type Db } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { withEngineTx, withTx } from '../../core/db/tx.ts';
import type { CampaignId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import type { Doorbell } from '../../core/work/doorbell.ts';
import { createFleetMember, leaseOwnerOf, sweepFleet } from '../../core/work/fleet.ts';
import { LEASE_BATCH, leaseUnits, renewLeases } from '../../core/work/lease.sql.ts';
import { OFFLINE_AFTER_MS } from '../../core/work/scanner-states.ts';
import { drainScanner, listScanners, takeOverUnits } from '../../core/work/scanners.sql.ts';
import type { UnitHandler } from '../../core/work/unit.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const start = Date.UTC(2026, 0, 1);
const clock = () => now;
let now = start;
let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let tenants = 0;
let logged: string[];

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = start;
  logged = [];
  // Heartbeats come when a test says so; the database's own timers run.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await database.inspect(sql`update campaigns set status = 'cancelled'`);
  await database.inspect(sql`
    update work_units set status = 'cancelled', lease_owner = null, lease_expires_at = null where settled_at is null`);
  await database.inspect(sql`delete from scanners`);
  tenantId = `fleet-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
});
afterEach(() => {
  vi.useRealTimers();
});

const log = createLogger({ level: 'debug', clock, destination: { write: (line) => logged.push(line) } });
const events = () => logged.map((line) => (JSON.parse(line) as { event: string }).event);

const idle: UnitHandler = async () => ({ observe: 'computed' });

/** A process: what `compose` makes of a scanner and a worker. */
function process(scannerId: string, handler: UnitHandler = idle, { db = database.db, concurrency = 4 } = {}) {
  const owner = leaseOwnerOf(scannerId, now);
  const parts = { owner, db, clock, log };
  const worker = createWorker({
    ...parts,
    metrics: createMetrics(),
    doorbell: null,
    handlers: { process_asset: handler },
    concurrency,
  });
  const fleet = createFleetMember({
    ...parts,
    scannerId,
    displayName: `The ${scannerId}`,
    host: 'a-host',
    tally: worker.tally,
  });
  return {
    owner,
    fleet,
    worker,
    drain: (signal = new AbortController().signal) => worker.drain(60_000, signal),
    lease: (units = LEASE_BATCH) =>
      withEngineTx(db, (tx) => leaseUnits(tx, owner, { units, orphans: 1 }, now)),
  };
}

/** Lets the heartbeats of `seconds` happen, as the processes that joined send them over `pool`. */
async function passWithHeartbeats(seconds: number, { pool }: Pick<Db, 'pool'> = database.db): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    now += 10_000;
    await vi.advanceTimersByTimeAsync(10_000);
    do await sleep(5);
    while (pool.waitingCount > 0 || pool.idleCount < pool.totalCount);
  }
}

const sweep = (doorbell: Doorbell | null = null) => sweepFleet({ db: database.db, clock, log, doorbell });
const fleet = () => withEngineTx(database.db, (tx) => listScanners(tx, now));
const drained = (scannerId: string) =>
  withTx(database.db, { tenantId, mode: 'write' }, (tx) => drainScanner(tx, scannerId, now));
const campaign = (units: number) => makeCampaign(database.db, tenantId, scopeId, units, now);
const counts = async (campaignId: CampaignId) => {
  const found = await withTx(database.db, { tenantId, mode: 'read' }, (tx) =>
    findCampaign(tx, { kind: 'tenant' }, campaignId),
  );
  return { status: found?.status, ...found?.workUnits };
};
type UnitRow = { status: string; attempt: number; lease_owner: string | null };
const units = () =>
  database.inspect<UnitRow>(
    sql`select status, attempt, lease_owner from work_units where tenant_id = ${tenantId} order by unit_id`,
  );

describe('a scanner', () => {
  test('registers once, reports its work with heartbeats, and leaves no trace', async () => {
    const one = process('one');
    await campaign(30);
    await one.fleet.join();
    expect(await one.drain()).toBe(30);
    expect(await fleet()).toMatchObject([{ processed: 0, heartbeatAgeMs: 0 }]);
    await passWithHeartbeats(20);
    now += 1_000;
    expect(await fleet()).toEqual([
      {
        workloadId: 'one',
        displayName: 'The one',
        host: 'a-host',
        capabilities: ['m365'],
        version: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
        status: 'active',
        heartbeatAgeMs: 1_000,
        processed: 30,
        failed: 0,
        currentLeases: 0,
      },
    ]);
    await one.fleet.leave();
    expect(await fleet()).toEqual([]);
    await passWithHeartbeats(20);
    expect(await fleet()).toEqual([]);
  });

  test('goes stale and offline with time, and a heartbeat revives it', async () => {
    await process('one').fleet.join();
    const status = async () => (await fleet())[0]?.status;
    for (const [silentMs, expected] of [
      [30_000, 'active'],
      [30_001, 'stale'],
      [90_000, 'stale'],
      [90_001, 'offline'],
    ] as const) {
      now = start + silentMs;
      expect(await status(), String(silentMs)).toBe(expected);
    }
    await passWithHeartbeats(10);
    expect(await status()).toBe('active');
  });

  test('a restart under the same id is one active row and settles nothing of before', async () => {
    await campaign(5);
    const before = process('one');
    await before.fleet.join();
    const held = await before.lease(2);
    await drained('one');
    const after = process('one');
    await after.fleet.join();
    expect(await fleet()).toMatchObject([{ workloadId: 'one', status: 'active', currentLeases: 2 }]);
    expect(after.owner).not.toBe(before.owner);
    expect(after.owner.split(':')[0]).toBe('one');
    const ids = held.map(({ unitId }) => unitId);
    now += 1_000;
    const expiry = () =>
      database.inspect(sql`select lease_expires_at from work_units where unit_id = any(${ids}::bigint[])`);
    const unrenewed = await expiry();
    await withEngineTx(database.db, (tx) => renewLeases(tx, after.owner, ids, now));
    expect(await expiry()).toEqual(unrenewed);
    expect(await after.drain()).toBe(3);
  });

  test('whose heartbeat fails logs it, goes on, and tells everything later', async () => {
    await campaign(3);
    const nowhere = createPool('postgres://nobody@127.0.0.1:1/none', { max: 1, applicationName: 'test' });
    let up = false;
    const flaky = {
      ...nowhere,
      get pool() {
        return (up ? database.db : nowhere).pool;
      },
    } satisfies Db;
    const worker = process('one');
    await worker.drain();
    const member = createFleetMember({
      ...{ db: flaky, clock, log, scannerId: 'one', owner: worker.owner, displayName: 'One', host: 'a-host' },
      tally: () => ({ processed: up ? 3 : 0, failed: 0 }),
    });
    await member.join();
    await passWithHeartbeats(20, nowhere);
    expect(events().filter((event) => event === 'heartbeat_failed')).toHaveLength(3);
    expect(await fleet()).toEqual([]);
    up = true;
    // The first heartbeat finds no row and registers; the next one tells.
    await passWithHeartbeats(20);
    expect(await fleet()).toMatchObject([{ status: 'active', processed: 3 }]);
    await member.leave();
    await nowhere.close();
  });

  test('that ends hands back what it still holds, with its attempt', async () => {
    await campaign(3);
    const one = process('one');
    const twin = process('one');
    await one.fleet.join();
    await twin.fleet.join();
    await one.lease(1);
    await twin.lease(1);
    await one.fleet.leave();
    const pending = { status: 'pending', attempt: 0, lease_owner: null };
    // What a second process of the same id holds stays its own, and its next heartbeat brings the row back.
    expect(await units()).toEqual([
      pending,
      { status: 'leased', attempt: 1, lease_owner: twin.owner },
      pending,
    ]);
    await passWithHeartbeats(10);
    expect(await fleet()).toMatchObject([{ status: 'active', currentLeases: 1 }]);
    await twin.fleet.leave();
    expect(await units()).toEqual([pending, pending, pending]);
  });

  test('is forgotten after a week of silence, once it holds nothing', async () => {
    await campaign(1);
    const one = process('one');
    await one.fleet.join();
    now += 7 * 24 * 3_600_000;
    await sweep();
    expect(await fleet()).toHaveLength(1);
    now += 1;
    // Under its id, and too young to be taken over: a process that shares the id and was never heard of.
    await database.inspect(sql`update scanners set scanner_id = 'held'`);
    await database.inspect(sql`
      update work_units set status = 'leased', lease_owner = 'other:boot', lease_expires_at = now()
       where tenant_id = ${tenantId}`);
    await sweep();
    expect(await fleet()).toEqual([]);
  });
});

describe('takeover', () => {
  test('comes only when the scanner is offline, and leaves the units of others alone', async () => {
    await campaign(10);
    const [dead, living, unknown] = [process('dead'), process('living'), process('unknown')];
    await dead.fleet.join();
    await dead.lease(4);
    await living.lease(3);
    await unknown.lease(2);
    now += OFFLINE_AFTER_MS;
    await living.fleet.join();
    await sweep();
    expect((await units()).filter(({ status }) => status === 'leased')).toHaveLength(9);
    now += 1;
    const rung: number[] = [];
    await sweep({ ring: async (count) => void rung.push(count), isRinging: async () => false });
    expect(rung).toEqual([1]);
    expect(events()).toContain('units_taken_over');
    const rows = await units();
    // Their attempt is spent.
    expect(rows.filter(({ status, attempt }) => status === 'pending' && attempt === 1)).toHaveLength(4);
    expect(rows.filter((row) => row.lease_owner === living.owner)).toHaveLength(3);
    // Who never registered is not known to be dead; its leases run out.
    expect(rows.filter((row) => row.lease_owner === unknown.owner)).toHaveLength(2);
  });

  test('takes each unit once, however many sweep at once', async () => {
    await campaign(400);
    const dead = process('dead');
    await dead.fleet.join();
    await dead.lease(400);
    now += OFFLINE_AFTER_MS + 1;
    const take = () => withEngineTx(database.db, (tx) => takeOverUnits(tx, 60, now));
    let taken = 0;
    while (taken < 400) {
      const round = await Promise.all([take(), take(), take(), take()]);
      expect(Math.max(...round)).toBeGreaterThan(0);
      taken += round.reduce((sum, each) => sum + each, 0);
    }
    expect(taken).toBe(400);
    expect(await take()).toBe(0);
    await Promise.all([sweep(), sweep()]);
  });

  test('takes units one at a time, the least tried first', async () => {
    await campaign(20);
    for (let death = 0; death < 21; death++) {
      const dies = process(`dies-${death}`);
      await dies.fleet.join();
      const leased = await dies.lease();
      const expected = death === 0 ? 20 : 1;
      expect(leased, `process ${death}`).toHaveLength(expected);
      expect(leased.every(({ orphaned }) => orphaned === death > 0)).toBe(true);
      now += OFFLINE_AFTER_MS + 1;
      await sweep();
    }
    expect((await units()).map(({ attempt }) => attempt)).toEqual(Array.from({ length: 20 }, () => 2));
  });

  test('buries a unit that kills its worker each time, and only that one', async () => {
    const campaignId = await campaign(12);
    let deaths = 0;
    for (;;) {
      // A handler that never returns stands for a process that died: its drain settles nothing more.
      let killed: () => void = () => undefined;
      const death = new Promise<'killed'>((resolve) => {
        killed = () => resolve('killed');
      });
      const handler: UnitHandler = async (unit) => {
        if ((unit.payload as { n: number }).n !== 5) return {};
        killed();
        return new Promise(() => undefined);
      };
      const next = process(`mortal-${deaths}`, handler, { concurrency: 1 });
      await next.fleet.join();
      if ((await Promise.race([next.drain(), death])) !== 'killed') break;
      deaths++;
      now += OFFLINE_AFTER_MS + 1;
      await sweep();
    }
    expect(deaths).toBe(4);
    expect(await counts(campaignId)).toMatchObject({ status: 'completed', completed: 11, dead: 1 });
    expect(
      await database.inspect(
        sql`select retry_class, safe_diagnostic from dead_letters where tenant_id = ${tenantId}`,
      ),
    ).toEqual([{ retry_class: 'corrupt', safe_diagnostic: 'attempts_spent_unreported' }]);
  });

  test('refuses what a paused process settles on its return, and makes it active', async () => {
    const campaignId = await campaign(8);
    let wake: () => void = () => undefined;
    const asleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let begun = 0;
    const paused = process('paused', async () => {
      begun++;
      await asleep;
      return { observe: 'failed' };
    });
    await paused.fleet.join();
    const late = paused.drain();
    await expect.poll(() => begun).toBe(4);

    now += OFFLINE_AFTER_MS + 1;
    await sweep();
    const other = process('other');
    await other.fleet.join();
    expect(await other.drain()).toBe(8);
    expect(await counts(campaignId)).toMatchObject({ status: 'completed', completed: 8 });

    wake();
    expect(await late).toBe(0);
    expect(events().filter((event) => event === 'stale_settle_refused').length).toBeGreaterThanOrEqual(4);
    await passWithHeartbeats(10);
    expect(await fleet()).toEqual([
      expect.objectContaining({ workloadId: 'other', status: 'active' }),
      expect.objectContaining({ workloadId: 'paused', status: 'active', processed: 0, currentLeases: 0 }),
    ]);
  });
});

describe('draining', () => {
  test('leases nothing more, finishes what it holds, and lasts through silence', async () => {
    const campaignId = await campaign(100);
    let ran = 0;
    let draining: Promise<void> | undefined;
    const one = process('one', async () => {
      if (++ran === 30) draining = drained('one');
      await draining;
      return {};
    });
    await one.fleet.join();
    const settled = await one.drain();
    expect(settled).toBe(40);
    expect(await counts(campaignId)).toMatchObject({ completed: 40, pending: 60, leased: 0 });
    expect(await one.drain()).toBe(0);

    const status = async () => (await fleet())[0];
    await passWithHeartbeats(30);
    expect(await status()).toMatchObject({ status: 'draining', currentLeases: 0, processed: 40 });
    now += OFFLINE_AFTER_MS + 1;
    expect(await status()).toMatchObject({ status: 'offline' });
    await passWithHeartbeats(10);
    expect(await status()).toMatchObject({ status: 'draining' });
    expect(await one.lease()).toEqual([]);

    expect(await process('another').drain()).toBe(60);
  });

  test('takes no orphan either', async () => {
    await campaign(2);
    const dead = process('dead');
    await dead.lease(1);
    now += 3_600_000;
    const one = process('one');
    await one.fleet.join();
    await drained('one');
    expect(await one.lease()).toEqual([]);
    expect(await process('another').lease()).toHaveLength(2);
  });

  test('passes the bell on at leisure rather than ring it at once, over and over', async () => {
    await campaign(1);
    const one = process('one');
    await one.fleet.join();
    await drained('one');
    const rung: number[] = [];
    const worker = createWorker({
      ...{ owner: one.owner, db: database.db, clock, log, metrics: createMetrics(), concurrency: 1 },
      handlers: { process_asset: idle },
      doorbell: { ring: async (_, delayMs) => void rung.push(delayMs), isRinging: async () => false },
    });
    expect(await worker.drain(60_000, new AbortController().signal)).toBe(0);
    expect(rung).toEqual([1_000]);
  });

  test.each([
    ['is not there', 'unheard-of', 'not_found', 0],
    ['drains already', 'drained', 'conflict', 0],
    ['is offline', 'active', 'conflict', OFFLINE_AFTER_MS + 1],
  ])('a scanner that %s is refused', async (_, scannerId, code, laterMs) => {
    await process('active').fleet.join();
    await process('drained').fleet.join();
    await drained('drained');
    now += laterMs;
    await expect(drained(scannerId)).rejects.toMatchObject({ code });
  });
});
