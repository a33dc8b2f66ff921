import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyChain } from '../../core/audit/verify-chain.ts';
import { auditEndsOf, sweepCampaignEnds } from '../../core/campaigns/audit-campaign-ends.ts';
import { controlCampaign, markCancelled, sweepCancelled } from '../../core/campaigns/campaign-control.sql.ts';
import { followDecision, startRescoreCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { deadLetters, retryDeadLetter } from '../../core/campaigns/dead-letters.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withEngineTx, withTx } from '../../core/db/tx.ts';
import type { CampaignId, PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import type { CampaignAction } from '../../core/work/campaign-states.ts';
import { LEASE_MS, leaseUnits } from '../../core/work/lease.sql.ts';
import { settleUnits } from '../../core/work/settle.sql.ts';
import type { UnitHandler, WorkUnit } from '../../core/work/unit.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeCampaign, makeTenant, mustStart } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const EVERYTHING = { kind: 'tenant' } as const;
const NEVER = new AbortController().signal;
const ORIGIN = { createdBy: 'somebody' as PrincipalId, correlationId: 'cor_1' };

type Event = { type: string; target: { id: string }; details: Record<string, unknown> };

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let tenants = 0;
let now: number;
const logged: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase({ max: 10 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = Date.UTC(2026, 0, 1);
  logged.length = 0;
  await database.inspect(sql`truncate campaigns cascade`);
  tenantId = `ends-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
});

const parts = () => ({ db: database.db, clock: () => now });
const write = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId, mode: 'write' }, fn);
const act = (campaignId: CampaignId, action: CampaignAction) =>
  write((tx) => controlCampaign(tx, EVERYTHING, campaignId, action, now));
const sweep = () => sweepCampaignEnds(parts(), NEVER);
const lease = (most = 20) =>
  withEngineTx(database.db, (tx) => leaseUnits(tx, 'holder', { units: most, orphans: 1 }, now));
/** The settlement alone, as a worker commits it before it does anything else. */
const settle = (units: readonly WorkUnit[], result: 'completed' | 'dead' = 'completed') =>
  withEngineTx(database.db, (tx) =>
    settleUnits(
      tx,
      'holder',
      units.map(({ unitId, attempt }) => ({
        ...{ unitId, attempt, result, runAfter: null, stages: {} },
        retryClass: result === 'dead' ? 'permanent' : null,
        safeDiagnostic: result === 'dead' ? 'scope_gone' : null,
        deadLetterId: result === 'dead' ? `dlq_${unitId}_${attempt}_${now}` : null,
      })),
      now,
    ),
  );
const log = createLogger({
  level: 'warn',
  clock: () => now,
  destination: { write: (line) => logged.push(line) },
});
/** As the runtime composes it. */
const drain = (handler: UnitHandler = async () => ({})) =>
  createWorker({
    owner: 'drainer',
    ...parts(),
    log,
    metrics: createMetrics(),
    doorbell: null,
    handlers: { process_asset: handler, rescore_asset: handler },
    concurrency: 4,
    onCampaignsCompleted: (campaigns) => auditEndsOf({ ...parts(), log }, campaigns),
  }).drain(60_000, NEVER);
const events = async (of: TenantId = tenantId): Promise<Event[]> => {
  const rows = await database.inspect<{ event: Event }>(sql`
    select record::jsonb -> 'event' as event from audit_events where tenant_id = ${of} order by seq`);
  return rows.map(({ event }) => event);
};
const summary = async () =>
  (await events()).map(({ type, target, details }) => ({
    type,
    id: target.id,
    units: [details.unitsCompleted, details.unitsDead, details.unitsCancelled],
  }));
const unaudited = () => database.inspect(sql`select campaign_id, status from campaign_ends order by end_id`);
const rescoreUnit = (key: string) => ({ kind: 'rescore_asset' as const, logicalKey: key, payload: {} });
const letterOf = async (campaignId: CampaignId) => {
  const letters = await write((tx) =>
    deadLetters(tx, { kind: 'tenant' }, { campaignId, readable: 'all' }, 10),
  );
  const open = letters.find(({ retriedAt }) => retriedAt === null);
  if (open === undefined) throw new Error('nothing died');
  return open.id;
};
const retry = async (campaignId: CampaignId) => {
  const letter = await letterOf(campaignId);
  await write((tx) => retryDeadLetter(tx, EVERYTHING, letter, now));
};

describe('a campaign that completes', () => {
  test('is audited by who settles its last unit, under the request that started it', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 3, now);
    now += 5_000;
    const held = await lease(1);
    now += 90_000;
    await settle(held);
    expect(await events()).toEqual([]);
    await drain();
    expect(await events()).toEqual([
      {
        at: new Date(now).toISOString(),
        category: 'scan',
        correlationId: 'cor_1',
        details: {
          kind: 'inventory',
          status: 'completed',
          unitsCompleted: 3,
          unitsDead: 0,
          incomplete: false,
          unitsCancelled: 0,
          durationSeconds: 90,
          finishedAt: new Date(now).toISOString(),
        },
        policyDecision: null,
        principalId: 'somebody',
        target: { kind: 'campaign', id: campaignId },
        tenantId,
        type: 'scan_completed',
      },
    ]);
    expect([await unaudited(), logged]).toEqual([[], []]);
  });

  test('is audited once by the sweep where whoever settled it died first', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 2, now);
    await settle(await lease());
    const finishedAt = new Date(now).toISOString();
    expect(await events()).toEqual([]);
    expect(await unaudited()).toEqual([{ campaign_id: campaignId, status: 'completed' }]);
    now += 3_600_000;
    await Promise.all(Array.from({ length: 8 }, sweep));
    expect(await summary()).toEqual([{ type: 'scan_completed', id: campaignId, units: [2, 0, 0] }]);
    // When it is told does not change when it was.
    expect((await events())[0]).toMatchObject({
      at: new Date(now).toISOString(),
      details: { finishedAt, durationSeconds: 0 },
    });
    await sweep();
    expect(await events()).toHaveLength(1);
  });

  test('is settled though its end cannot be audited; the sweep makes up for it', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 2, now);
    await database.inspect(sql`revoke execute on function audit_append(text[]) from svc_app`);
    expect(await drain()).toBe(2);
    await expect(sweep()).rejects.toThrow('Some tenants were not swept');
    await database.inspect(sql`grant execute on function audit_append(text[]) to svc_app`);
    expect(await events()).toEqual([]);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'campaign_end_unaudited', tenantId, errorCode: '42501' },
    ]);
    await sweep();
    expect(await summary()).toEqual([{ type: 'scan_completed', id: campaignId, units: [2, 0, 0] }]);
  });

  test('at its resume is audited with what its units came to meanwhile', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 2, now);
    const [first, second] = await lease();
    await act(campaignId, 'pause');
    await settle(first ? [first] : []);
    await settle(second ? [second] : [], 'dead');
    await sweep();
    expect(await events()).toEqual([]);
    expect(await act(campaignId, 'resume')).toBe('completed');
    await sweep();
    expect(await summary()).toEqual([{ type: 'scan_completed', id: campaignId, units: [1, 1, 0] }]);
  });

  test('at once, having no units, is audited', async () => {
    const campaignId = mustStart(
      await write((tx) => startRescoreCampaign(tx, { ...ORIGIN, first: [] }, now)),
    );
    await sweep();
    expect(await summary()).toEqual([{ type: 'scan_completed', id: campaignId, units: [0, 0, 0] }]);
    expect((await events())[0]?.details).toMatchObject({ kind: 'rescore', durationSeconds: 0 });
  });

  test('again, after a dead unit was retried, is audited again', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 2, now);
    const [first, second] = await lease();
    await settle(first ? [first] : []);
    await settle(second ? [second] : [], 'dead');
    // Before anybody has audited that it ended.
    await retry(campaignId);
    await drain();
    expect(await summary()).toEqual([
      { type: 'scan_completed', id: campaignId, units: [1, 1, 0] },
      { type: 'scan_completed', id: campaignId, units: [2, 0, 0] },
    ]);
  });

  test('together with those of other tenants goes into the trail of its own', async () => {
    const others = await Promise.all(
      [1, 2, 3].map(async () => {
        const other = `ends-${tenants++}` as TenantId;
        const scope = await makeTenant(database, other, now);
        return { other, campaignId: await makeCampaign(database.db, other, scope, 2, now) };
      }),
    );
    const { completed } = await settle(await lease());
    expect(completed).toHaveLength(3);
    await sweep();
    for (const { other, campaignId } of others) {
      expect((await events(other)).map(({ target }) => target.id)).toEqual([campaignId]);
      const report = await withTx(database.db, { tenantId: other, mode: 'read' }, (tx) => verifyChain(tx));
      expect(report).toMatchObject({ ok: true, count: 1 });
    }
  });
});

describe('a campaign that was cancelled', () => {
  test('is audited once nothing of it is left, with what was done and what was not', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 5, now);
    const [first, second] = await lease(2);
    await act(campaignId, 'cancel');
    expect(await markCancelled(database.db, { tenantId, campaignId }, now)).toBe(3);
    await sweep();
    expect(await events()).toEqual([]);
    await settle(first ? [first] : []);
    expect(second).toBeDefined();
    // The worker of the other one is gone.
    now += LEASE_MS + 1;
    const cancelling = { ...parts(), budgetMs: 60_000, signal: NEVER };
    await Promise.all([sweepCancelled(database.db, cancelling), sweepCancelled(database.db, cancelling)]);
    await sweep();
    expect(await summary()).toEqual([
      { type: 'scan_cancellation_completed', id: campaignId, units: [1, 0, 4] },
    ]);
    expect((await events())[0]?.details.status).toBe('cancelled');
  });

  test('when nothing of it was left has ended with that', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 1, now);
    const held = await lease();
    await act(campaignId, 'pause');
    await settle(held);
    await act(campaignId, 'cancel');
    await sweep();
    expect(await summary()).toEqual([
      { type: 'scan_cancellation_completed', id: campaignId, units: [1, 0, 0] },
    ]);
  });

  test('before anything of it was leased took no time that could be told', async () => {
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 1, now);
    await act(campaignId, 'cancel');
    await markCancelled(database.db, { tenantId, campaignId }, now);
    await sweep();
    expect((await events())[0]?.details).toMatchObject({ unitsCancelled: 1, durationSeconds: null });
  });
});

describe('what follows decisions', () => {
  const follow = async (key: string) => {
    await write((tx) => followDecision(tx, { ...ORIGIN, units: [rescoreUnit(key)] }, now));
    const [campaign] = await database.inspect<{ campaign_id: CampaignId }>(sql`
      select campaign_id from campaigns order by campaign_id desc limit 1`);
    return campaign?.campaign_id as CampaignId;
  };

  test('is not audited where all went well', async () => {
    await follow('asset:1');
    await drain();
    expect([await events(), await unaudited()]).toEqual([[], []]);
  });

  test('is audited where something died, and again when that was retried well', async () => {
    const campaignId = await follow('asset:1');
    await settle(await lease(), 'dead');
    await sweep();
    await retry(campaignId);
    await drain();
    expect(await summary()).toEqual([
      { type: 'scan_completed', id: campaignId, units: [0, 1, 0] },
      { type: 'scan_completed', id: campaignId, units: [1, 0, 0] },
    ]);
  });

  test('is audited where somebody cancelled it', async () => {
    const campaignId = await follow('asset:1');
    await act(campaignId, 'cancel');
    await markCancelled(database.db, { tenantId, campaignId }, now);
    await sweep();
    expect(await summary()).toEqual([
      { type: 'scan_cancellation_completed', id: campaignId, units: [0, 0, 1] },
    ]);
  });
});
