import { sql } from '../../core/db/sql.ts';
import type { Tx } from '../../core/db/tx.ts';
import type { WorkUnit } from '../../core/work/unit.ts';
import type { TestDatabase } from './database.ts';

type Inspected = Pick<TestDatabase, 'inspect'>;

/**
 * Creates the table in which test handlers record effects: one row for each attempt that wrote. It has no unique
 * constraint, so that duplicate effects are visible.
 */
export async function makeEffects({ inspect }: Inspected): Promise<void> {
  await inspect(sql`
    create table unit_effects (
      effect_id bigint generated always as identity, unit_id bigint not null, attempt integer not null)`);
  await inspect(sql`grant insert on unit_effects to svc_app`);
}

/** Records the effect of one attempt, within its leased transaction. */
export const leaveEffect = (tx: Tx, { unitId, attempt }: WorkUnit) =>
  tx.execute(sql`insert into unit_effects (unit_id, attempt) values (${unitId}, ${attempt})`);

/** The number of unfinished units in running campaigns. */
export async function openUnits({ inspect }: Inspected): Promise<number> {
  const [row] = await inspect<{ open: number }>(sql`
    select count(*)::int as open from work_units u join campaigns c using (tenant_id, campaign_id)
     where u.status in ('pending', 'leased') and c.status in ('pending', 'running')`);
  return row?.open ?? 0;
}

/**
 * Finds contradictions in the stored work: counters of campaigns and their units, the status of a campaign and its
 * remaining units, dead letters and dead units, stage counts and completed units of assets (each of which reports
 * one `observe`). Ignores cancelled campaigns.
 */
export function contradictions({ inspect }: Inspected): Promise<object[]> {
  return inspect(sql`
    with counted as (
      select c.tenant_id, c.campaign_id, c.status, c.finished_at, c.units_total, c.units_completed, c.units_dead,
             c.units_cancelled,
             count(u.unit_id) as total,
             count(*) filter (where u.status = 'completed') as completed,
             count(*) filter (where u.status = 'completed' and u.kind = 'process_asset') as processed,
             count(*) filter (where u.status = 'dead') as dead,
             count(*) filter (where u.status = 'cancelled') as cancelled,
             (select coalesce(sum(s.count), 0) from campaign_stage_counts s
               where s.tenant_id = c.tenant_id and s.campaign_id = c.campaign_id and s.stage = 'observe') as observed
        from campaigns c left join work_units u using (tenant_id, campaign_id)
       where c.status <> 'cancelled' group by c.tenant_id, c.campaign_id
    )
    select 'counters' as what, to_jsonb(counted) as found from counted
     where (units_total, units_completed, units_dead, units_cancelled) <> (total, completed, dead, cancelled)
    union all
    select 'stages', to_jsonb(counted) from counted where observed <> processed
    union all
    select 'status', to_jsonb(counted) from counted
     where (status = 'completed') <> (total > 0 and total = completed + dead + cancelled)
        or (status = 'completed') <> (finished_at is not null)
    union all
    select 'letters', jsonb_build_object('unit', u.unit_id, 'status', u.status, 'letters', count(d.dead_letter_id))
      from work_units u left join dead_letters d using (unit_id)
     group by u.unit_id having count(d.dead_letter_id) <> (u.status = 'dead')::int`);
}

/**
 * Completed units with duplicate effects. Each attempt may leave at most one effect, none may follow that of a later
 * attempt, and the last must be that of the completing attempt. An attempt whose worker was killed before settling
 * may also have left one, which handlers must tolerate.
 */
export function doubleEffects({ inspect }: Inspected): Promise<object[]> {
  return inspect(sql`
    select u.unit_id, u.attempt, array_agg(e.attempt order by e.effect_id) as effects
      from work_units u left join unit_effects e using (unit_id)
     where u.status = 'completed'
     group by u.unit_id
    having array_agg(e.attempt order by e.effect_id) <> array_agg(distinct e.attempt order by e.attempt)
        or max(e.attempt) is distinct from u.attempt`);
}
