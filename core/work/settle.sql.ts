import { sql } from '../db/sql.ts';
import type { EngineTx } from '../db/tx.ts';
import type { CampaignId, TenantId } from '../kernel/ids.ts';
import { LISTING_KINDS, type RetryClass } from '../kernel/vocabulary.ts';
import { atMoment, type Moment } from './moment.sql.ts';
import type { StageOutcomes, UnitUse } from './unit.ts';

/** How one attempt ends. It takes effect only while the unit is leased by `owner` with this `attempt`. */
export type Settlement = {
  unitId: number;
  attempt: number;
  result: 'completed' | 'dead' | 'retry' | 'handed_back';
  /** The earliest time of the next attempt, in milliseconds, if it changes. */
  runAfter: number | null;
  /** For `dead`. */
  retryClass: RetryClass | null;
  safeDiagnostic: string | null;
  deadLetterId: string | null;
  stages: StageOutcomes;
  /** Absent: nothing was asked of a source. */
  use?: UnitUse;
};

export type CompletedCampaign = { tenantId: TenantId; campaignId: CampaignId };

export type Settled = {
  /** The units whose settlement took effect. Others were leased by another worker in the meantime. */
  units: ReadonlySet<number>;
  /** The campaigns that have no units left. */
  completed: readonly CompletedCampaign[];
};

/**
 * Settles a batch in one statement: units, dead letters, campaign counters and stage counts change together. A
 * running campaign without remaining units is completed. What listings left out is counted in the same transaction.
 * @param now the time from which `runAfter` is counted
 * @param moment the time of the settlement
 */
export async function settleUnits(
  tx: EngineTx,
  owner: string,
  settlements: readonly Settlement[],
  now: number,
  moment: Moment = now,
): Promise<Settled> {
  const at = atMoment(moment);
  // Most units of a batch have the same stage outcomes.
  const patterns = new Map<string, number>();
  const patternOf = (stages: StageOutcomes) => {
    const text = JSON.stringify(stages);
    const known = patterns.get(text) ?? patterns.size;
    patterns.set(text, known);
    return known;
  };
  const completed = settlements.filter(({ result }) => result === 'completed');
  const others = settlements
    .flatMap(({ stages, use, runAfter, ...rest }) => {
      if (rest.result === 'completed') return [];
      const delayMs = runAfter === null ? null : runAfter - now;
      return [{ ...rest, delayMs, calls: use?.calls ?? 0, bytes: use?.bytesRead ?? 0 }];
    })
    .map((other, place) => ({ ...other, place }));
  const [row] = await tx.query<{ units: number[]; completed: CompletedCampaign[] }>(sql`
    with others as materialized (
      select * from jsonb_to_recordset(${sql.json(others)}::jsonb) as o (
        "unitId" bigint, attempt int, result text, "delayMs" float8, "retryClass" text, "safeDiagnostic" text,
        "deadLetterId" text, calls int, bytes bigint, place int)
    ), outcome as materialized (
      select unit_id, attempt, 'completed' as result, null::timestamptz as run_after, pattern, calls, bytes,
             null::int as place
        from unnest(${completed.map(({ unitId }) => unitId)}::bigint[],
                    ${completed.map(({ attempt }) => attempt)}::int[],
                    ${completed.map(({ stages }) => patternOf(stages))}::int[],
                    ${completed.map(({ use }) => use?.calls ?? 0)}::int[],
                    ${completed.map(({ use }) => use?.bytesRead ?? 0)}::bigint[])
               as c (unit_id, attempt, pattern, calls, bytes)
      union all
      select "unitId", attempt, result, ${at} + "delayMs" * interval '1 millisecond', null, calls, bytes, place from others
    ), settled as (
      update work_units u
         set status = case o.result when 'completed' then 'completed' when 'dead' then 'dead' else 'pending' end,
             lease_owner = null, lease_expires_at = null,
             attempt = u.attempt - case o.result when 'handed_back' then 1 else 0 end,
             run_after = coalesce(o.run_after, u.run_after),
             settled_at = case when o.result in ('completed', 'dead') then ${at} end
        -- The same order in which leases are renewed, to avoid a deadlock.
        from (select * from outcome order by unit_id) o
       -- A single expression: for separate conditions the planner underestimates the number of matching units and
       -- reads every unit.
       where u.unit_id = o.unit_id
         and case when u.status = 'leased' and u.lease_owner = ${owner} then u.attempt = o.attempt else false end
      returning u.unit_id, u.tenant_id, u.campaign_id, u.kind, o.result, o.pattern, o.calls, o.bytes, o.place
    ), letters as (
      insert into dead_letters (tenant_id, dead_letter_id, campaign_id, unit_id, retry_class, safe_diagnostic, attempt, created_at)
      select s.tenant_id, o."deadLetterId", s.campaign_id, s.unit_id, o."retryClass", o."safeDiagnostic", o.attempt, ${at}
        from settled s join others o using (place) where s.result = 'dead'
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
             count(*) filter (where result = 'dead') as dead,
             count(*) filter (where result = 'dead' and kind = any(${LISTING_KINDS}::text[])) as listing_dead,
             sum(calls) as calls, sum(bytes) as bytes
        from settled where result in ('completed', 'dead') or calls > 0 group by 1, 2
    ), held as materialized (
      -- The same order everywhere, so that batches of the same campaigns do not deadlock.
      select m.*
        from (select * from moved order by tenant_id, campaign_id) m
        cross join lateral (
          select from campaigns where tenant_id = m.tenant_id and campaign_id = m.campaign_id for no key update) c
    ), counted as (
      update campaigns c
         set units_completed = c.units_completed + m.completed,
             units_dead = c.units_dead + m.dead,
             listing_units_dead = c.listing_units_dead + m.listing_dead,
             source_calls = c.source_calls + m.calls, bytes_read = c.bytes_read + m.bytes,
             status = case when c.status = 'running' and c.units_total =
                        c.units_completed + m.completed + c.units_dead + m.dead + c.units_cancelled
                      then 'completed' else c.status end,
             finished_at = case when c.status = 'running' and c.units_total =
                        c.units_completed + m.completed + c.units_dead + m.dead + c.units_cancelled
                      then ${at} else c.finished_at end
        from held m where c.tenant_id = m.tenant_id and c.campaign_id = m.campaign_id
      returning c.tenant_id, c.campaign_id, c.status
    )
    select (select coalesce(json_agg(unit_id), '[]') from settled) as units,
           (select coalesce(json_agg(json_build_object('tenantId', tenant_id, 'campaignId', campaign_id)), '[]')
              from counted where status = 'completed') as completed`);
  const units = new Set(row?.units);
  await countLeftOut(
    tx,
    completed.filter(({ unitId }) => units.has(unitId)),
  );
  return { units, completed: row?.completed ?? [] };
}

async function countLeftOut(tx: EngineTx, settled: readonly Settlement[]): Promise<void> {
  const leftOut = settled.flatMap(({ unitId, use }) =>
    (use?.leftOut ?? []).map((each) => ({ unitId, ...each })),
  );
  if (leftOut.length === 0) return;
  await tx.query(sql`
    insert into campaign_left_out (tenant_id, campaign_id, reason, rule_id, items)
    select u.tenant_id, u.campaign_id, l.reason, coalesce(l."ruleId", ''), sum(l.items)
      from jsonb_to_recordset(${sql.json(leftOut)}::jsonb) as l ("unitId" bigint, reason text, "ruleId" text, items int)
      join work_units u on u.unit_id = l."unitId"
     group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (tenant_id, campaign_id, reason, rule_id) do update set items = campaign_left_out.items + excluded.items`);
}
