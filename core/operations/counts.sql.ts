import { leasedByCampaign } from '../campaigns/campaigns.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { ACTIVE_STATUSES } from '../work/active-campaign.sql.ts';

/** Work units of the tenant by status, over all its campaigns. */
export type QueueCounts = {
  pending: number;
  leased: number;
  completed: number;
  dead: number;
  cancelled: number;
};

/**
 * Only leased units are counted, and there are few of them. Active campaigns, at most one per scope, have their own
 * counters. Those of ended campaigns are added up when they end. An ended campaign has no pending units: those that
 * are neither completed, dead nor leased are cancelled.
 */
export async function queueCounts(tx: Tx): Promise<QueueCounts> {
  const [row] = await tx.query<QueueCounts>(sql`
    with active as (
      select coalesce(sum(units_total), 0) as total, coalesce(sum(units_completed), 0) as completed,
             coalesce(sum(units_dead), 0) as dead, coalesce(sum(units_cancelled), 0) as cancelled
        from campaigns where tenant_id = ${tx.tenantId} and status in ${ACTIVE_STATUSES}
    ), ended as (
      select coalesce(sum(ended_units), 0) as total, coalesce(sum(ended_completed), 0) as completed,
             coalesce(sum(ended_dead), 0) as dead
        from tenant_counters where tenant_id = ${tx.tenantId}
    ), ${leasedByCampaign(tx)}, under_way as (
      select coalesce(sum(l.units), 0) as units,
             coalesce(sum(l.units) filter (where c.status in ('completed', 'cancelled')), 0) as ended
        from leased l join campaigns c on c.tenant_id = ${tx.tenantId} and c.campaign_id = l.campaign_id
    )
    select (active.total - active.completed - active.dead - active.cancelled - under_way.units + under_way.ended)::bigint as pending,
           under_way.units::bigint as leased,
           (active.completed + ended.completed)::bigint as completed,
           (active.dead + ended.dead)::bigint as dead,
           (active.cancelled + ended.total - ended.completed - ended.dead - under_way.ended)::bigint as cancelled
      from active, ended, under_way`);
  return row ?? { pending: 0, leased: 0, completed: 0, dead: 0, cancelled: 0 };
}

/**
 * Since when the longest-waiting unit could have been leased, in milliseconds; null if none waits. Units of paused
 * campaigns do not count, because they wait for a person.
 */
export async function oldestPendingSince(tx: Tx): Promise<number | null> {
  const [row] = await tx.query<{ since: Date | null }>(sql`
    select min(first.run_after) as since from campaigns c cross join lateral (
      select u.run_after from work_units u
       where u.tenant_id = c.tenant_id and u.campaign_id = c.campaign_id and u.status = 'pending'
       order by u.run_after, u.unit_id limit 1) first
     where c.tenant_id = ${tx.tenantId} and c.status in ('pending', 'running')`);
  return row?.since?.getTime() ?? null;
}

/**
 * When the oldest valid delta cursor was stored, in milliseconds, or null. Scopes that are no longer selected do not
 * count, because their cursors no longer move.
 */
export async function oldestCursorSince(tx: Tx): Promise<number | null> {
  const [row] = await tx.query<{ since: Date | null }>(sql`
    select min(delta_cursor_at) as since from scopes
     where tenant_id = ${tx.tenantId} and delta_cursor_status = 'valid' and selected`);
  return row?.since?.getTime() ?? null;
}
