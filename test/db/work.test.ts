import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findCampaign, stageCounts } from '../../core/campaigns/campaigns.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { withEngineTx, withTx } from '../../core/db/tx.ts';
import { type CampaignId, newId, type ScopeId, type TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { enqueueUnits } from '../../core/work/enqueue.sql.ts';
import { UnitFailure } from '../../core/work/failure.ts';
import { assertLeased, LEASE_MS, leaseUnits, takeBackLeases } from '../../core/work/lease.sql.ts';
import { type Settlement, settleUnits } from '../../core/work/settle.sql.ts';
import type { UnitHandler } from '../../core/work/unit.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let tenants = 0;
const start = Date.UTC(2026, 0, 1);
let now = start;

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = start;
  // Each test has a tenant of its own; what another one left would be leased too.
  await database.inspect(sql`update campaigns set status = 'cancelled'`);
  tenantId = `work-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
});

const lease = (owner: string, limit = 20) =>
  withEngineTx(database.db, (tx) => leaseUnits(tx, owner, { units: limit, orphans: 1 }, now));
const settle = (owner: string, settlements: Settlement[]) =>
  withEngineTx(database.db, (tx) => settleUnits(tx, owner, settlements, now));
const settlement = (
  unit: { unitId: number; attempt: number },
  change: Partial<Settlement> = {},
): Settlement => ({
  unitId: unit.unitId,
  attempt: unit.attempt,
  result: 'completed',
  runAfter: null,
  retryClass: null,
  safeDiagnostic: null,
  deadLetterId: null,
  stages: {},
  ...change,
});
const campaign = (campaignId: CampaignId) =>
  withTx(database.db, { tenantId, mode: 'read' }, (tx) => findCampaign(tx, { kind: 'tenant' }, campaignId));

const worker = (handler: UnitHandler, concurrency = 4, metrics = createMetrics()) =>
  createWorker({
    owner: newId('wrk', now),
    db: database.db,
    clock: () => now,
    log: createLogger({ level: 'error', clock: () => now }),
    metrics,
    doorbell: null,
    handlers: { process_asset: handler },
    concurrency,
  });
const drain = (handler: UnitHandler) => worker(handler).drain(60_000, new AbortController().signal);

describe('enqueue', () => {
  test('is a no-op for a logical key that the campaign has', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 3, now);
    const unit = (key: string) => ({ kind: 'process_asset' as const, logicalKey: key, payload: {} });
    const added = await withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
      enqueueUnits(tx, campaignId, [unit('asset:1'), unit('asset:9'), unit('asset:2')], now),
    );
    expect(added).toBe(1);
    expect((await campaign(campaignId))?.workUnits.pending).toBe(4);
  });
});

describe('lease', () => {
  test('counts the attempt, starts the campaign, and leaves nothing for a second worker', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 5, now);
    const units = await lease('a');
    expect(units.map((unit) => unit.attempt)).toEqual([1, 1, 1, 1, 1]);
    expect(await lease('b')).toEqual([]);
    expect(await campaign(campaignId)).toMatchObject({
      status: 'running',
      workUnits: { leased: 5, pending: 0 },
    });
  });

  test('a lease lasts 60 seconds, and 20 units are leased at once', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 45, now);
    const leased: unknown[] = [];
    await drain(async () => {
      leased.push(
        ...(await database.inspect(sql`
          select count(*)::int as units, max(lease_expires_at) as until from work_units
           where tenant_id = ${tenantId} and status = 'leased'`)),
      );
      return {};
    });
    expect(leased[0]).toEqual({ units: 20, until: new Date(now + 60_000) });
  });

  test('an expired lease may be taken by anybody, and the first holder settles nothing', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 1, now);
    const [first] = await lease('a');
    now += LEASE_MS + 1;
    const [second] = await lease('b');
    if (first === undefined || second === undefined) throw new Error('nothing was leased');
    expect(second).toMatchObject({ unitId: first.unitId, attempt: 2 });
    expect((await settle('a', [settlement(first)])).units).toEqual(new Set());
    expect((await settle('b', [settlement(second)])).units).toEqual(new Set([second.unitId]));
    expect((await settle('b', [settlement(second)])).units).toEqual(new Set());
  });

  test('expired leases are taken one at a time, the least tried first', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 20, now);
    expect(await lease('dies')).toHaveLength(20);
    for (let death = 0; death < 20; death++) {
      now += LEASE_MS + 1;
      const leased = await lease('dies');
      expect(leased.map(({ attempt, orphaned }) => ({ attempt, orphaned }))).toEqual([
        { attempt: 2, orphaned: true },
      ]);
    }
  });

  test('is complete beside an orphan, which comes first', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 30, now);
    await lease('dies', 5);
    now += LEASE_MS + 1;
    const leased = await lease('a');
    expect(leased.map((unit) => unit.orphaned)).toEqual([true, ...Array.from({ length: 19 }, () => false)]);
  });

  test('that is taken back may be taken at once', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 1, now);
    const [unit] = await lease('killed');
    expect(await lease('next')).toEqual([]);
    await withEngineTx(database.db, takeBackLeases);
    expect(await lease('next')).toMatchObject([{ unitId: unit?.unitId, attempt: 2, orphaned: true }]);
  });

  test('is held by a write of its holder, and a write without it is refused', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 1, now);
    const [first] = await lease('a');
    if (first === undefined) throw new Error('nothing was leased');
    now += LEASE_MS + 1;
    const write = (during: () => Promise<unknown>) =>
      withTx(database.db, { tenantId, mode: 'write' }, async (tx) => {
        await assertLeased(tx, [first]);
        return during();
      });
    expect(await write(() => lease('b'))).toEqual([]);
    expect(await lease('b')).toHaveLength(1);
    let reached = false;
    const refused = write(async () => {
      reached = true;
    });
    await expect(refused).rejects.toMatchObject({ safeDiagnostic: 'lease_lost' });
    expect(reached).toBe(false);
  });

  test('goes in turns over tenants', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 100, now);
    const small = `${tenantId}-small` as TenantId;
    await makeCampaign(database.db, small, await makeTenant(database, small, now), 3, now + 0);
    const tenantsOf = (await lease('a', 6)).map((unit) => unit.tenantId);
    expect(tenantsOf.filter((tenant) => tenant === small)).toHaveLength(3);
  });

  test('concurrent workers never get the same unit', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 200, now);
    const leased = (await Promise.all(Array.from({ length: 10 }, (_, n) => lease(`w${n}`)))).flat();
    expect(new Set(leased.map((unit) => unit.unitId)).size).toBe(leased.length);
  });
});

describe('settle', () => {
  test('moves units, counters, stage counts and completion together', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 3, now);
    const [one, two, three] = await lease('a');
    if (one === undefined || two === undefined || three === undefined) throw new Error('nothing was leased');
    await settle('a', [
      settlement(one, { stages: { observe: 'computed', content: 'cache_hit' } }),
      settlement(two, { stages: { observe: 'computed' } }),
    ]);
    expect(await campaign(campaignId)).toMatchObject({
      status: 'running',
      finishedAt: null,
      workUnits: { completed: 2, leased: 1 },
    });
    const dead = {
      result: 'dead',
      retryClass: 'permanent',
      safeDiagnostic: 'gone',
      deadLetterId: 'dlq_1',
    } as const;
    await settle('a', [settlement(three, { ...dead, stages: { observe: 'failed' } })]);
    expect(await campaign(campaignId)).toMatchObject({
      status: 'completed',
      finishedAt: new Date(now).toISOString(),
      workUnits: { completed: 2, dead: 1, leased: 0, pending: 0 },
    });
    const counts = await withTx(database.db, { tenantId, mode: 'read' }, (tx) => stageCounts(tx, campaignId));
    expect(counts).toEqual([
      { stage: 'content', outcome: 'cache_hit', count: 1 },
      { stage: 'observe', outcome: 'computed', count: 2 },
    ]);
    expect(
      await database.inspect(sql`select retry_class, safe_diagnostic, attempt from dead_letters`),
    ).toEqual([{ retry_class: 'permanent', safe_diagnostic: 'gone', attempt: 1 }]);
  });

  test('a unit that is handed back keeps its attempt', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 1, now);
    const [unit] = await lease('a');
    if (unit === undefined) throw new Error('nothing was leased');
    await settle('a', [settlement(unit, { result: 'handed_back' })]);
    expect((await lease('b'))[0]?.attempt).toBe(1);
  });
});

describe('worker', () => {
  test('drains a campaign, runs units that units enqueue, and completes it', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 45, now);
    const seen = new Set<number>();
    const settled = await drain(async (unit) => {
      const { n } = unit.payload as { n: number };
      seen.add(n);
      if (n === 0) {
        const more = [{ kind: 'process_asset' as const, logicalKey: 'asset:late', payload: { n: 45 } }];
        await withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
          enqueueUnits(tx, campaignId, more, now),
        );
      }
      return { observe: 'computed' };
    });
    expect(settled).toBe(46);
    expect(seen.size).toBe(46);
    expect(await campaign(campaignId)).toMatchObject({ status: 'completed', workUnits: { completed: 46 } });
  });

  test('goes on with what comes in beside a slow unit', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 1, now);
    const begun = Promise.withResolvers<void>();
    const served = Promise.withResolvers<void>();
    const drained = drain(async (unit) => {
      if ((unit.payload as { n: number }).n > 0) served.resolve();
      else {
        begun.resolve();
        await served.promise;
      }
      return {};
    });
    await begun.promise;
    const added = { kind: 'process_asset' as const, logicalKey: 'added', payload: { n: 1 } };
    await withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
      enqueueUnits(tx, campaignId, [added], now),
    );
    expect(await drained).toBe(2);
  });

  test('never ends while a unit that just ended has enqueued another', async () => {
    for (let round = 0; round < 10; round++) {
      await database.inspect(sql`update campaigns set status = 'cancelled'`);
      const campaignId = await makeCampaign(database.db, tenantId, scopeId, 1, now);
      const settled = await drain(async (unit) => {
        const { n } = unit.payload as { n: number };
        if (n < 5) {
          const next = { kind: 'process_asset' as const, logicalKey: `then:${n}`, payload: { n: n + 1 } };
          await withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
            enqueueUnits(tx, campaignId, [next], now),
          );
        }
        return {};
      });
      expect(settled).toBe(6);
      expect(await campaign(campaignId)).toMatchObject({ status: 'completed' });
    }
  });

  test('retries by class, and buries what is terminal or spent with a safe diagnostic', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 3, now);
    const attempts = new Map<number, number>();
    const handler: UnitHandler = async (unit) => {
      const { n } = unit.payload as { n: number };
      attempts.set(n, (attempts.get(n) ?? 0) + 1);
      if (n === 0) throw new UnitFailure('permanent', 'scope_gone');
      if (n === 1) throw new Error('/secret/path/Salaries 2026.xlsx');
      return {};
    };
    for (const wait of [0, 499, 1, 1_000, 2_000]) {
      now += wait;
      await drain(handler);
    }
    expect(Object.fromEntries(attempts)).toEqual({ 0: 1, 1: 4, 2: 1 });
    expect(await campaign(campaignId)).toMatchObject({
      status: 'completed',
      workUnits: { completed: 1, dead: 2 },
    });
    const letters = await database.inspect(
      sql`select retry_class, safe_diagnostic, attempt from dead_letters where tenant_id = ${tenantId} order by attempt`,
    );
    expect(letters).toEqual([
      { retry_class: 'permanent', safe_diagnostic: 'scope_gone', attempt: 1 },
      { retry_class: 'transient', safe_diagnostic: 'unexpected_error', attempt: 4 },
    ]);
  });

  test('counts each failed attempt by its class', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 3, now);
    const metrics = createMetrics();
    const failing = worker(
      async (unit) => {
        const { n } = unit.payload as { n: number };
        if (n === 0) throw new UnitFailure('permanent', 'scope_gone');
        if (n === 1) throw new Error('unexpected');
        return {};
      },
      4,
      metrics,
    );
    for (const wait of [0, 500, 1_000, 2_000]) {
      now += wait;
      await failing.drain(60_000, new AbortController().signal);
    }
    expect(metrics.snapshot().counters).toMatchObject({
      'work_failed:permanent': 1,
      'work_failed:transient': 4,
      'work_completed:process_asset': 1,
    });
  });

  test('buries a unit whose every attempt died with its worker, without running it again', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 1, now);
    for (let attempt = 1; attempt <= 4; attempt++) {
      await lease('dies');
      now += LEASE_MS + 1;
    }
    let runs = 0;
    await drain(async () => {
      runs++;
      return {};
    });
    expect(runs).toBe(0);
    expect(await campaign(campaignId)).toMatchObject({ status: 'completed', workUnits: { dead: 1 } });
  });

  test('runs what a killed worker held one at a time, however many drains there are', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 15, now);
    await lease('killed');
    now += LEASE_MS + 1;
    let running = 0;
    let most = 0;
    const shared = worker(async () => {
      most = Math.max(most, ++running);
      await sleep(2);
      running--;
      return {};
    });
    const signal = new AbortController().signal;
    await Promise.all([1, 2, 3].map(() => shared.drain(60_000, signal)));
    expect(await campaign(campaignId)).toMatchObject({ status: 'completed', workUnits: { completed: 15 } });
    expect(most).toBe(1);
  });

  test('buries at once what its source is not configured for', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 1, now);
    await drain(async () => {
      throw new UnitFailure('policy_denied', 'source_not_configured');
    });
    const letters = await database.inspect(
      sql`select retry_class, safe_diagnostic, attempt from dead_letters where tenant_id = ${tenantId}`,
    );
    expect(letters).toEqual([
      { retry_class: 'policy_denied', safe_diagnostic: 'source_not_configured', attempt: 1 },
    ]);
  });

  test('keeps outcomes that could not be settled, and settles them when it can', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 6, now);
    let runs = 0;
    let granted: Promise<unknown> = Promise.resolve();
    const settled = await drain(async () => {
      if (++runs === 1) {
        await database.inspect(sql`revoke insert on dead_letters from svc_engine`);
        granted = sleep(400).then(() => database.inspect(sql`grant insert on dead_letters to svc_engine`));
      }
      return { observe: 'computed' };
    });
    await granted;
    expect({ runs, settled }).toEqual({ runs: 6, settled: 6 });
    expect(await campaign(campaignId)).toMatchObject({ status: 'completed', workUnits: { completed: 6 } });
  });

  test('never runs more at once than its concurrency, however many drains there are', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 60, now);
    let running = 0;
    let most = 0;
    const shared = worker(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
      return {};
    }, 3);
    const signal = new AbortController().signal;
    const settled = await Promise.all([1, 2, 3].map(() => shared.drain(60_000, signal)));
    expect(settled.reduce((sum, count) => sum + count, 0)).toBe(60);
    expect(most).toBe(3);
  });

  test('stops on abort: what runs is settled, what was not begun is handed back', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 40, now);
    const stop = new AbortController();
    let runs = 0;
    const settled = await worker(async () => {
      if (++runs === 5) stop.abort();
      return {};
    }, 1).drain(60_000, stop.signal);
    expect(runs).toBe(5);
    const { workUnits } = (await campaign(campaignId)) ?? {};
    expect(workUnits).toMatchObject({ completed: 5, leased: 0, pending: 35 });
    expect(settled).toBe(20);
    const units = await lease('next');
    expect(new Set(units.map((unit) => unit.attempt))).toEqual(new Set([1]));
  });

  test('stops on abort: what the abort ends in the middle keeps its attempt', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 1, now);
    const stop = new AbortController();
    await worker(async (_unit, signal) => {
      const aborted = once(signal, 'abort');
      setImmediate(() => stop.abort());
      await aborted;
      throw new UnitFailure('permanent', 'aborted');
    }).drain(60_000, stop.signal);
    expect(await campaign(campaignId)).toMatchObject({ workUnits: { dead: 0, pending: 1 } });
    expect((await lease('next'))[0]?.attempt).toBe(1);
  });
});
