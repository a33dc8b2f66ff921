import { sql } from '../db/sql.ts';
import type { EngineTx } from '../db/tx.ts';
import type { CampaignId, TenantId } from '../kernel/ids.ts';
import type { RetryClass } from '../kernel/vocabulary.ts';
import type { StageOutcomes } from './unit.ts';

/** How one attempt ends. Fenced: it takes effect only while the unit is still leased by `owner` at `attempt`. */
export type Settlement = {
  unitId: number;
  attempt: number;
  result: 'completed' | 'dead' | 'retry' | 'handed_back';
  /** For `retry`: when it may run again, in milliseconds. */
  runAfter: number | null;
  /** For `dead`. */
  retryClass: RetryClass | null;
  safeDiagnostic: string | null;
  deadLetterId: string | null;
  stages: StageOutcomes;
};

export type CompletedCampaign = { tenantId: TenantId; campaignId: CampaignId };

export type Settled = {
  /** The units whose settlement took effect; the others had been leased by somebody else meanwhile. */
  units: ReadonlySet<number>;
  /** The campaigns of which nothing was left. */
  completed: readonly CompletedCampaign[];
};

/**
 * Settles a batch in one statement: units, dead letters, campaign counters and stage counts move together. A running
 * campaign with nothing left is completed.
 */
export async function settleUnits(
  tx: EngineTx,
  owner: string,
  settlements: readonly Settlement[],
  now: number,
): Promise<Settled> {
  const at = new Date(now);
  // Most units of a batch went through their stages alike.
  const patterns = new Map<string, number>();
  const patternOf = (stages: StageOutcomes) => {
    const text = JSON.stringify(stages);
    const known = patterns.get(text) ?? patterns.size;
    patterns.set(text, known);
    return known;
  };
  const column = <T>(of: (settlement: Settlement) => T) => settlements.map(of);
  const dated = (at: number | null) => (at === null ? null : new Date(at));
  const rows = await tx.query<{
    unit_id: number;
    tenant_id: TenantId;
    campaign_id: CampaignId;
    ended: boolean;
  }>(sql`
    with outcome as materialized (
      select * from unnest(
        ${column(({ unitId }) => unitId)}::bigint[], ${column(({ attempt }) => attempt)}::int[],
        ${column(({ result }) => result)}::text[], ${column(({ runAfter }) => dated(runAfter))}::timestamptz[],
        ${column(({ retryClass }) => retryClass)}::text[], ${column((one) => one.safeDiagnostic)}::text[],
        ${column(({ deadLetterId }) => deadLetterId)}::text[], ${column(({ stages }) => patternOf(stages))}::int[]
      ) as o (unit_id, attempt, result, run_after, retry_class, safe_diagnostic, dead_letter_id, pattern)
    ), settled as (
      update work_units u
         set status = case o.result when 'completed' then 'completed' when 'dead' then 'dead' else 'pending' end,
             lease_owner = null, lease_expires_at = null,
             attempt = u.attempt - case o.result when 'handed_back' then 1 else 0 end,
             run_after = coalesce(o.run_after, u.run_after),
             settled_at = case when o.result in ('completed', 'dead') then ${at}::timestamptz end
        from outcome o
       where u.unit_id = o.unit_id and u.status = 'leased' and u.lease_owner = ${owner} and u.attempt = o.attempt
      returning u.unit_id, u.tenant_id, u.campaign_id, u.attempt, o.result, o.retry_class, o.safe_diagnostic,
                o.dead_letter_id, o.pattern
    ), letters as (
      insert into dead_letters (tenant_id, dead_letter_id, campaign_id, unit_id, retry_class, safe_diagnostic, attempt, created_at)
      select tenant_id, dead_letter_id, campaign_id, unit_id, retry_class, safe_diagnostic, attempt, ${at}
        from settled where result = 'dead'
    ), stage_counts as (
      insert into campaign_stage_counts (tenant_id, campaign_id, stage, outcome, count)
      select s.tenant_id, s.campaign_id, stage.key, stage.value, sum(s.count)
        from (select tenant_id, campaign_id, pattern, count(*) from settled
               where result = 'completed' group by 1, 2, 3) s
        join unnest(${[...patterns.keys()]}::text[]) with ordinality as p (stages, place) on p.place = s.pattern + 1
        cross join lateral jsonb_each_text(p.stages::jsonb) as stage
       group by 1, 2, 3, 4
       order by 1, 2, 3, 4
      on conflict (tenant_id, campaign_id, stage, outcome) do update set count = campaign_stage_counts.count + excluded.count
    ), moved as (
      select tenant_id, campaign_id, count(*) filter (where result = 'completed') as completed,
             count(*) filter (where result = 'dead') as dead
        from settled where result in ('completed', 'dead') group by 1, 2
    ), counted as (
      update campaigns c
         set units_completed = c.units_completed + m.completed,
             units_dead = c.units_dead + m.dead,
             status = case when c.status = 'running' and c.units_total =
                        c.units_completed + m.completed + c.units_dead + m.dead + c.units_cancelled
                      then 'completed' else c.status end,
             finished_at = case when c.status = 'running' and c.units_total =
                        c.units_completed + m.completed + c.units_dead + m.dead + c.units_cancelled
                      then ${at}::timestamptz else c.finished_at end
        from moved m where c.tenant_id = m.tenant_id and c.campaign_id = m.campaign_id
      returning c.tenant_id, c.campaign_id, c.status
    )
    select s.unit_id, s.tenant_id, s.campaign_id, coalesce(c.status = 'completed', false) as ended
      from settled s left join counted c using (tenant_id, campaign_id)`);
  const completed = new Map(rows.flatMap((row) => (row.ended ? [[row.campaign_id, row.tenant_id]] : [])));
  return {
    units: new Set(rows.map((row) => row.unit_id)),
    completed: Array.from(completed, ([campaignId, tenantId]) => ({ tenantId, campaignId })),
  };
}
