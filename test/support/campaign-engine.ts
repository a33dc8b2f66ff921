import { expect } from 'vitest';
import { controlCampaign, sweepCancelled } from '../../core/campaigns/campaign-control.sql.ts';
import { startCampaign, startRescoreCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { retryDeadLetter } from '../../core/campaigns/dead-letters.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withEngineTx, withTx } from '../../core/db/tx.ts';
import { ServiceError } from '../../core/kernel/errors.ts';
import type { CampaignId, PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import type { CampaignAction } from '../../core/work/campaign-states.ts';
import { enqueueUnits } from '../../core/work/enqueue.sql.ts';
import { leaseUnits } from '../../core/work/lease.sql.ts';
import { settleUnits } from '../../core/work/settle.sql.ts';
import type { WorkUnit } from '../../core/work/unit.ts';
import { makeTenant, mustStart } from './campaign.ts';
import type { ModelResult } from './campaign-model.ts';
import type { TestDatabase } from './database.ts';

export type Settled = { unitId: number; attempt: number; result: ModelResult; deadLetterId: string | null };
export type Engine = Awaited<ReturnType<typeof makeEngine>>;

export const EVERYTHING = { kind: 'tenant' } as const;
export const RETRY_DELAY_MS = 1_000;
/** The first lane is that of rescores. The others are scopes. */
export const LANES = 3;

const ORIGIN = { createdBy: 'somebody' as PrincipalId, correlationId: 'cor_1' };
let tenants = 0;

/**
 * The functions of the engine as one tenant, the worker and the sweep call them. Each takes the time of the call.
 * Deletes the campaigns of earlier tenants, because leasing serves all tenants.
 */
export async function makeEngine(database: TestDatabase, now: number) {
  await database.inspect(sql`truncate campaigns cascade`);
  const tenantId = `model-${tenants++}` as TenantId;
  const first = await makeTenant(database, tenantId, now);
  const scopes = [first];
  for (let n = 2; n < LANES; n++) {
    scopes.push(`${first}-${n}` as ScopeId);
    await database.inspect(sql`
      insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
      select tenant_id, ${`${first}-${n}`}, connector_instance_id, family, ${`site-${n}`}, name, kind, created_at
        from scopes where scope_id = ${first}`);
  }
  const { db } = database;
  const write = <T>(fn: (tx: Tx) => Promise<T>) => withTx(db, { tenantId, mode: 'write' }, fn);
  const unit = (key: string) => ({ kind: 'process_asset' as const, logicalKey: key, payload: { key } });
  return {
    tenantId,
    start: (lane: number, keys: readonly string[], at: number) =>
      write(async (tx) => {
        const scopeId = scopes[lane - 1];
        const [firstKey = '', ...rest] = keys;
        if (scopeId === undefined)
          return mustStart(await startRescoreCampaign(tx, { ...ORIGIN, first: keys.map(unit) }, at));
        const start = { ...ORIGIN, scopeId, kind: 'inventory', first: unit(firstKey) } as const;
        const campaignId = mustStart(await startCampaign(tx, start, at));
        await enqueueUnits(tx, campaignId, rest.map(unit), at);
        return campaignId;
      }),
    enqueue: (campaignId: string, keys: readonly string[], at: number) =>
      write((tx) => enqueueUnits(tx, campaignId as CampaignId, keys.map(unit), at)),
    lease: (owner: string, most: number, at: number) =>
      withEngineTx(db, (tx) => leaseUnits(tx, owner, { units: most, orphans: 1 }, at)),
    settle: (owner: string, settled: readonly Settled[], at: number) =>
      withEngineTx(db, (tx) =>
        settleUnits(
          tx,
          owner,
          settled.map((one) => ({
            ...one,
            runAfter: one.result === 'retry' ? at + RETRY_DELAY_MS : null,
            retryClass: one.result === 'dead' ? 'permanent' : null,
            safeDiagnostic: one.result === 'dead' ? 'failed' : null,
            stages: {},
          })),
          at,
        ),
      ),
    act: (campaignId: string, action: CampaignAction, at: number) =>
      write((tx) => controlCampaign(tx, EVERYTHING, campaignId, action, at)),
    retry: (letterId: string, at: number) => write((tx) => retryDeadLetter(tx, EVERYTHING, letterId, at)),
    sweep: (at: number) =>
      sweepCancelled(db, { clock: () => at, budgetMs: 1_000, signal: new AbortController().signal }),
  };
}

/** Whether it succeeded or was refused as a conflict. Any other error fails the test. */
export const isDone = (attempt: Promise<unknown>) =>
  attempt.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ServiceError && error.code === 'conflict') return false;
      throw error;
    },
  );

export const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)];
export const keyOf = (unit: WorkUnit) => (unit.payload as { key: string }).key;

/** Reads with the rights of the transaction's tenant. */
export async function expectCountersAreRows(tx: Tx): Promise<void> {
  const differing = await tx.query(sql`
    select c.campaign_id from campaigns c cross join lateral (
      select count(*) as total, count(*) filter (where u.status = 'completed') as completed,
             count(*) filter (where u.status = 'dead') as dead,
             count(*) filter (where u.status = 'cancelled') as cancelled,
             count(*) filter (where u.status in ('pending', 'leased')) as open
        from work_units u where u.tenant_id = c.tenant_id and u.campaign_id = c.campaign_id) r
     where (c.units_total, c.units_completed, c.units_dead, c.units_cancelled)
             is distinct from (r.total, r.completed, r.dead, r.cancelled)
        or (c.status = 'cancelled' and r.open > 0 and not c.cancelling)`);
  expect(differing).toEqual([]);
}
