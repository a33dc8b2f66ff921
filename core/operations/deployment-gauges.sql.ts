import { sql } from '../db/sql.ts';
import type { EngineTx } from '../db/tx.ts';
import { ACTIVE_STATUSES } from '../work/active-campaign.sql.ts';

/** What `counts.sql.ts` says of one tenant, over all tenants. Times are null where there is nothing. */
export type DeploymentGauges = {
  pending: number;
  leased: number;
  dead: number;
  oldestPendingSince: Date | null;
  oldestCursorSince: Date | null;
  notFetched: number;
  available: number;
  partial: number;
  unsupported: number;
  failed: number;
  inaccessible: number;
};

/** Reads counters, leased units and the first pending unit of each campaign, and counts no other rows. */
export async function deploymentGauges(tx: EngineTx): Promise<DeploymentGauges> {
  const [row] = await tx.query<DeploymentGauges>(sql`
    with active as (
      select coalesce(sum(units_total - units_completed - units_dead - units_cancelled), 0) as open,
             coalesce(sum(units_dead), 0) as dead
        from campaigns where status in ${ACTIVE_STATUSES}
    ), leased as (
      select count(*) as units, count(*) filter (where c.status in ('completed', 'cancelled')) as ended
        from work_units u join campaigns c using (tenant_id, campaign_id)
       where u.status = 'leased' and u.lease_expires_at is not null
    ), kept as (
      select coalesce(sum(ended_dead), 0) as dead, coalesce(sum(not_fetched), 0) as not_fetched,
             coalesce(sum(available), 0) as available, coalesce(sum(partial), 0) as partial,
             coalesce(sum(unsupported), 0) as unsupported, coalesce(sum(failed), 0) as failed,
             coalesce(sum(inaccessible), 0) as inaccessible
        from tenant_counters
    ), waiting as (
      select min(first.run_after) as since from campaigns c cross join lateral (
        select u.run_after from work_units u
         where u.tenant_id = c.tenant_id and u.campaign_id = c.campaign_id and u.status = 'pending'
         order by u.run_after, u.unit_id limit 1) first
       where c.status in ('pending', 'running')
    ), cursors as (
      select min(delta_cursor_at) as since from scopes where delta_cursor_status = 'valid' and selected
    )
    select greatest(active.open - leased.units + leased.ended, 0)::bigint as pending, leased.units::bigint as leased,
           (active.dead + kept.dead)::bigint as dead,
           waiting.since as "oldestPendingSince", cursors.since as "oldestCursorSince",
           kept.not_fetched::bigint as "notFetched", kept.available::bigint as available,
           kept.partial::bigint as partial, kept.unsupported::bigint as unsupported, kept.failed::bigint as failed,
           kept.inaccessible::bigint as inaccessible
      from active, leased, kept, waiting, cursors`);
  if (row === undefined) throw new Error('A statement of aggregates returned no row');
  return row;
}
