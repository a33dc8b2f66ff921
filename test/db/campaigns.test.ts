import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { controlCampaign, markCancelled, sweepCancelled } from '../../core/campaigns/campaign-control.sql.ts';
import { findCampaign, startCampaign, startRescoreCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { deadLetters, retryDeadLetter } from '../../core/campaigns/dead-letters.sql.ts';
import { withWalkTx } from '../../core/campaigns/walk-tx.ts';
import { violatedConstraint } from '../../core/db/errors.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withEngineTx, withTx } from '../../core/db/tx.ts';
import type { CampaignId, PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import type { CampaignAction } from '../../core/work/campaign-states.ts';
import { enqueueUnits, type NewUnit } from '../../core/work/enqueue.sql.ts';
import { LEASE_MS, leaseUnits } from '../../core/work/lease.sql.ts';
import type { UnitHandler } from '../../core/work/unit.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeCampaign, makeTenant, mustStart } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const EVERYTHING = { kind: 'tenant' } as const;
const NEVER = new AbortController().signal;

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let tenants = 0;
let now: number;

beforeAll(async () => {
  database = await createTestDatabase({ max: 10 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = Date.UTC(2026, 0, 1);
  await database.inspect(sql`update campaigns set status = 'cancelled'`);
  tenantId = `campaigns-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
});

const write = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId, mode: 'write' }, fn);
const act = (campaignId: CampaignId, action: CampaignAction) =>
  write((tx) => controlCampaign(tx, EVERYTHING, campaignId, action, now));
const campaign = (campaignId: CampaignId) => write((tx) => findCampaign(tx, EVERYTHING, campaignId));
const lease = (most: number) =>
  withEngineTx(database.db, (tx) => leaseUnits(tx, 'holder', { units: most, orphans: 1 }, now));
const sweep = () => sweepCancelled(database.db, { clock: () => now, budgetMs: 60_000, signal: NEVER });
const drain = (handler: UnitHandler) =>
  createWorker({
    owner: 'drainer',
    db: database.db,
    clock: () => now,
    log: createLogger({ level: 'error', clock: () => now }),
    metrics: createMetrics(),
    doorbell: null,
    handlers: { process_asset: handler },
    concurrency: 4,
  }).drain(60_000, NEVER);
const rowCounts = async (campaignId: CampaignId) => {
  const rows = await database.inspect<{ status: string; count: number }>(sql`
    select status, count(*)::int as count from work_units where campaign_id = ${campaignId} group by 1`);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};
const origin = { createdBy: 'somebody' as PrincipalId, correlationId: 'cor_1' };
const unit = (logicalKey: string): NewUnit => ({ kind: 'process_asset', logicalKey, payload: {} });
const refusalOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? 'another error',
  );

describe('one campaign is active', () => {
  test.each([
    [
      'over a scope',
      (tx: Tx) => startCampaign(tx, { ...origin, scopeId, kind: 'inventory', first: unit('page:0') }, now),
    ],
    ['over a tenant', (tx: Tx) => startRescoreCampaign(tx, { ...origin, first: [unit('asset:0')] }, now)],
  ])('%s, however many start one at once', async (_, start) => {
    const starts = await Promise.all(Array.from({ length: 20 }, () => write(start)));
    expect(starts.filter((campaignId) => campaignId !== null)).toHaveLength(1);
    const [made] = await database.inspect(sql`
      select count(*)::int as campaigns, sum(units_total)::int as units from campaigns where tenant_id = ${tenantId}`);
    expect(made).toEqual({ campaigns: 1, units: 1 });
  });
});

describe('pause', () => {
  test('stops leasing and lets running units finish; resume completes the rest', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 2, now);
    await drain(async (held) => {
      const { n } = held.payload as { n: number };
      if (n === 0) await act(campaignId, 'pause');
      return {};
    });
    const paused = await campaign(campaignId);
    expect(paused).toMatchObject({ status: 'paused', finishedAt: null, workUnits: { completed: 2 } });
    expect(await act(campaignId, 'resume')).toBe('completed');
    expect((await campaign(campaignId))?.finishedAt).toBe(new Date(now).toISOString());
  });

  test('keeps what is left for the resume', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 30, now);
    const held = await lease(10);
    await act(campaignId, 'pause');
    now += LEASE_MS + 1;
    expect(await lease(20)).toEqual([]);
    expect(await act(campaignId, 'resume')).toBe('running');
    await drain(async () => ({}));
    expect(held).toHaveLength(10);
    expect(await campaign(campaignId)).toMatchObject({ status: 'completed', workUnits: { completed: 30 } });
  });
});

describe('cancel', () => {
  test('counts at once, however many units it takes to mark', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 12_345, now);
    await act(campaignId, 'cancel');
    expect(await campaign(campaignId)).toMatchObject({
      status: 'cancelled',
      finishedAt: new Date(now).toISOString(),
      workUnits: { pending: 0, leased: 0, cancelled: 12_345 },
    });
    expect(await rowCounts(campaignId)).toEqual({ pending: 12_345 });
    expect(await markCancelled(database.db, { tenantId, campaignId }, now)).toBe(5_000);
    expect(await rowCounts(campaignId)).toEqual({ pending: 7_345, cancelled: 5_000 });
    await Promise.all([sweep(), sweep()]);
    expect(await rowCounts(campaignId)).toEqual({ cancelled: 12_345 });
    expect((await campaign(campaignId))?.workUnits).toMatchObject({ pending: 0, cancelled: 12_345 });
    const [row] = await database.inspect(sql`
      select units_cancelled, cancelling from campaigns where campaign_id = ${campaignId}`);
    expect(row).toEqual({ units_cancelled: 12_345, cancelling: false });
  });

  test('lets running units finish; failed ones and those they added count as cancelled', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 3, now);
    await drain(async (held) => {
      const { n } = held.payload as { n: number };
      if (n === 0) {
        await act(campaignId, 'cancel');
        await sweep();
        await write((tx) => enqueueUnits(tx, campaignId, [unit('late:0'), unit('late:1')], now));
      } else if (n === 1) {
        throw new Error('fails with attempts left');
      }
      return {};
    });
    const counts = { pending: 0, leased: 0, completed: 2, dead: 0, cancelled: 3 };
    expect(await campaign(campaignId)).toMatchObject({ status: 'cancelled', workUnits: counts });
    await sweep();
    expect(await rowCounts(campaignId)).toEqual({ completed: 2, cancelled: 3 });
    expect(await campaign(campaignId)).toMatchObject({ status: 'cancelled', workUnits: counts });
  });

  test('leaves no unit with a worker that is gone', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 2, now);
    await lease(1);
    await act(campaignId, 'cancel');
    await sweep();
    expect(await rowCounts(campaignId)).toEqual({ leased: 1, cancelled: 1 });
    now += LEASE_MS + 1;
    await sweep();
    expect(await rowCounts(campaignId)).toEqual({ cancelled: 2 });
  });

  test('ends a walk: a running page writes nothing more and is cancelled, not failed', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 1, now);
    let wrote = false;
    await drain(async (held) => {
      await act(campaignId, 'cancel');
      await withWalkTx(database.db, held, async () => {
        wrote = true;
      });
      return {};
    });
    await sweep();
    expect(wrote).toBe(false);
    expect(await rowCounts(campaignId)).toEqual({ cancelled: 1 });
  });

  test('waits for what a walk is writing, so that nothing of it comes after', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 1, now);
    const order: string[] = [];
    let cancelled: Promise<unknown> = Promise.resolve();
    await drain(async (held) => {
      await withWalkTx(database.db, held, async (tx) => {
        cancelled = act(campaignId, 'cancel').then(() => order.push('cancelled'));
        await tx.query(sql`select pg_sleep(0.2)`);
        order.push('written');
      });
      return {};
    });
    await cancelled;
    expect(order).toEqual(['written', 'cancelled']);
  });
});

describe('a dead letter', () => {
  /** A completed campaign of which one unit died, and the letter. */
  async function deadLetter(
    kind: 'inventory' | 'rescore',
  ): Promise<{ campaignId: CampaignId; letter: string }> {
    const campaignId =
      kind === 'inventory'
        ? await makeCampaign(database.db, tenantId, scopeId, 1, now)
        : mustStart(
            await write((tx) => startRescoreCampaign(tx, { ...origin, first: [unit('asset:0')] }, now)),
          );
    await database.inspect(sql`update work_units set max_attempts = 1 where campaign_id = ${campaignId}`);
    await drain(() => Promise.reject(new Error('fails')));
    const [letter] = await write((tx) =>
      deadLetters(tx, { kind: 'tenant' }, { campaignId, readable: 'all' }, 10),
    );
    if (letter === undefined) throw new Error('nothing died');
    return { campaignId, letter: letter.id };
  }
  const retry = (letter: string) => write((tx) => retryDeadLetter(tx, EVERYTHING, letter, now));

  test.each(['inventory', 'rescore'] as const)(
    'of a completed %s is tried again, by one of many',
    async (kind) => {
      const { campaignId, letter } = await deadLetter(kind);
      const retries = await Promise.all(Array.from({ length: 10 }, () => refusalOf(retry(letter))));
      expect(retries.filter((outcome) => outcome === 'done')).toHaveLength(1);
      expect(retries.filter((outcome) => outcome === 'conflict')).toHaveLength(9);
      expect(await campaign(campaignId)).toMatchObject({
        status: 'running',
        workUnits: { pending: 1, dead: 0 },
      });
      await drain(async () => ({}));
      expect(await campaign(campaignId)).toMatchObject({
        status: 'completed',
        workUnits: { completed: 1, dead: 0 },
      });
    },
  );

  test('of a completed inventory waits in quiet hours that began after it', async () => {
    const { campaignId, letter } = await deadLetter('inventory');
    const day = Math.floor(now / 86_400_000) * 86_400_000;
    const quiet = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
    await database.inspect(sql`
      insert into schedules (tenant_id, target, time_zone, quiet_hours, when_running, when_late, revision, changed_at, changed_by)
      values (${tenantId}, 'all', 'UTC', ${sql.json([{ days: quiet, from: '00:00', to: '24:00' }])}::jsonb, 'skip', 'run', 1,
              ${new Date(day)}, 'pri_admin')`);
    await retry(letter);
    await drain(async () => ({}));
    expect(await campaign(campaignId)).toMatchObject({ status: 'running', workUnits: { pending: 1 } });
    await database.inspect(sql`delete from schedules where tenant_id = ${tenantId}`);
  });

  test('of a paused campaign waits with it', async () => {
    const { campaignId, letter } = await deadLetter('inventory');
    await retry(letter);
    await write((tx) => enqueueUnits(tx, campaignId, [unit('another')], now));
    await act(campaignId, 'pause');
    expect(await lease(20)).toEqual([]);
    expect(await act(campaignId, 'resume')).toBe('running');
    expect(await lease(20)).toHaveLength(2);
  });

  test('of a cancelled campaign, or one that was followed, stays dead', async () => {
    const { campaignId, letter } = await deadLetter('inventory');
    const next = await makeCampaign(database.db, tenantId, scopeId, 1, now + 1);
    expect(await refusalOf(retry(letter))).toBe('conflict');
    await act(next, 'cancel');
    expect(await refusalOf(retry(letter))).toBe('conflict');
    await database.inspect(sql`delete from work_units where campaign_id = ${next}`);
    await database.inspect(sql`delete from campaigns where campaign_id = ${next}`);
    await database.inspect(sql`update campaigns set status = 'cancelled' where campaign_id = ${campaignId}`);
    expect(await refusalOf(retry(letter))).toBe('conflict');
    expect(await rowCounts(campaignId)).toEqual({ dead: 1 });
  });

  test('and a start of its scope: one of the two wins', async () => {
    for (let round = 0; round < 5; round++) {
      const { campaignId, letter } = await deadLetter('inventory');
      now += 1;
      const [retried, started] = await Promise.all([
        refusalOf(retry(letter)),
        refusalOf(makeCampaign(database.db, tenantId, scopeId, 1, now)),
      ]);
      expect([retried, started].sort()).toEqual(['conflict', 'done']);
      expect((await campaign(campaignId))?.status).toBe(retried === 'done' ? 'running' : 'completed');
      await drain(async () => ({}));
    }
  });
});

test('nobody completes a campaign of which something is left', async () => {
  const campaignId = await makeCampaign(database.db, tenantId, scopeId, 1, now);
  const completion = write((tx) =>
    tx.query(sql`update campaigns set status = 'completed' where campaign_id = ${campaignId}`),
  );
  expect(await completion.catch(violatedConstraint)).toBe('campaigns_completed');
});
