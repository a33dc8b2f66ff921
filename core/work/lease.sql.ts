import { FENCE } from '../db/plan-hints.ts';
import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import { UnitFailure } from './failure.ts';
import { isLeasable } from './held.sql.ts';
import { atMoment, type Moment, sinceMoment } from './moment.sql.ts';
import { nothingUsed, type WorkUnit } from './unit.ts';

export const LEASE_MS = 60_000;
export const LEASE_BATCH = 20;

type LeasedRow = Omit<WorkUnit, 'leaseOwner' | 'use'>;

/**
 * Leases up to `units` due units; none if the owner's scanner is draining. First come at most `orphans` units whose
 * lease expired or was taken over, those with the fewest attempts first, then pending units. Tenants share the batch
 * equally, and so do the campaigns of each tenant, so that a large scan does not block a small one. Remainders are
 * drawn at random. The unused part of a share is left for the next batch. Campaigns in quiet hours or at a ceiling have no
 * share. A unit can have an `attempt` above
 * `maxAttempts`, if its workers died with it.
 */
export async function leaseUnits(
  tx: EngineTx,
  owner: string,
  most: { units: number; orphans: number },
  now: Moment,
): Promise<WorkUnit[]> {
  const at = atMoment(now);
  const rows = await tx.query<LeasedRow>(sql`
    with active as materialized (
      select tenant_id, campaign_id from campaigns
       where ${isLeasable(sql``, at)}
         and not exists (select from scanners where scanner_id = split_part(${owner}, ':', 1) and draining)
    ), abandoned as materialized (
      select unit_id, tenant_id, campaign_id, attempt, lease_expires_at from work_units
       where lease_expires_at <= ${at} and status in ('leased', 'pending')
    ), orphans as (
      select u.ctid as place
        from (select unit_id from abandoned join active using (tenant_id, campaign_id)
               order by attempt, lease_expires_at, unit_id) a
        join work_units u using (unit_id)
       where u.status in ('leased', 'pending') and u.lease_expires_at <= ${at}
       limit ${most.orphans}
       for update of u skip locked
    ), busy as materialized (
      select a.tenant_id, a.campaign_id
        from active a cross join lateral (
          select from work_units
           where tenant_id = a.tenant_id and campaign_id = a.campaign_id
             and status = 'pending' and run_after <= ${at} and lease_expires_at is null
           order by run_after limit 1) due
    ), batch as materialized (
      select count(distinct tenant_id) as tenants, ${most.units} - (select count(*) from orphans) as units from busy
    ), drawn as (
      select tenant_id, campaign_id, first_value(random()) over in_tenant as draw, row_number() over in_tenant as turn,
             count(*) over (partition by tenant_id) as campaigns
        from busy window in_tenant as (partition by tenant_id order by random())
    ), shared as (
      -- The n-th of m gets the units between (n - 1)/m and n/m of the batch, in whole units. Together they get all of
      -- it.
      select d.*, units * tenant_turn / tenants - units * (tenant_turn - 1) / tenants as tenant_share
        from (select *, dense_rank() over (order by draw) as tenant_turn from drawn) d cross join batch
    ), pending as materialized (
      select u.place
        from (select tenant_id, campaign_id,
                     tenant_share * turn / campaigns - tenant_share * (turn - 1) / campaigns as share
                from shared) s
        cross join lateral (
          select ctid as place from work_units
           where tenant_id = s.tenant_id and campaign_id = s.campaign_id
             and status = 'pending' and run_after <= ${at} and lease_expires_at is null
           order by run_after, unit_id
           limit s.share
           for update skip locked) u
       where s.share > 0
    ), locked as (
      select place, true as orphaned from orphans union all select place, false from pending
    ), leased as (
      update work_units u
         set status = 'leased', attempt = u.attempt + 1, lease_owner = ${owner},
             lease_expires_at = ${sinceMoment(now, LEASE_MS)}
        from locked where u.ctid = locked.place
      returning u.unit_id, u.tenant_id, u.campaign_id, u.kind, u.payload, u.attempt, u.max_attempts, locked.orphaned
    ), starting as materialized (
      -- The order in which settling locks campaigns.
      select l.tenant_id, l.campaign_id
        from (select distinct tenant_id, campaign_id from leased order by 1, 2) l
        cross join lateral (
          select from campaigns
           where tenant_id = l.tenant_id and campaign_id = l.campaign_id and status = 'pending' for no key update) c
    ), started as (
      update campaigns c set status = 'running', started_at = ${at}
        from starting s where c.tenant_id = s.tenant_id and c.campaign_id = s.campaign_id
    )
    select unit_id as "unitId", tenant_id as "tenantId", campaign_id as "campaignId", kind, payload, attempt,
           max_attempts as "maxAttempts", orphaned
      from leased`);
  const inOrder = rows.toSorted((a, b) => Number(b.orphaned) - Number(a.orphaned) || a.unitId - b.unitId);
  return inOrder.map((row) => ({ leaseOwner: owner, use: nothingUsed(), ...row }));
}

/** Extends the leases of units that are still running. */
export async function renewLeases(
  tx: EngineTx,
  owner: string,
  unitIds: readonly number[],
  now: Moment,
): Promise<void> {
  // Locks units in the same order as a concurrent settlement, to avoid a deadlock.
  await tx.query(sql`
    update work_units u set lease_expires_at = ${sinceMoment(now, LEASE_MS)}
      from (select unit_id from work_units
             where unit_id = any(${unitIds}::bigint[]) and status = 'leased' and lease_owner = ${owner}
             order by unit_id for no key update) held
     where u.unit_id = held.unit_id`);
}

/**
 * Locks the units for the transaction, so that nobody else can lease them before the commit. Throws `lease_lost` if one
 * of the leases no longer holds: the data of this worker may then be older than that of the next holder.
 */
export async function assertLeased(tx: Tx, units: readonly WorkUnit[]): Promise<void> {
  const held = await tx.query(sql`
    select 1
      -- The order in which leases are renewed and units are settled, to avoid a deadlock.
      from (select *
              from unnest(${units.map(({ unitId }) => unitId)}::bigint[],
                          ${units.map(({ leaseOwner }) => leaseOwner)}::text[],
                          ${units.map(({ attempt }) => attempt)}::int[]) as m (unit_id, lease_owner, attempt)
             order by unit_id) mine
     cross join lateral (
       select from work_units u
        where u.unit_id = mine.unit_id and u.tenant_id = ${tx.tenantId}
          and case when u.status = 'leased' and u.lease_owner = mine.lease_owner then u.attempt = mine.attempt else false end
        ${FENCE} for share) held`);
  if (held.length < units.length) throw new UnitFailure('transient', 'lease_lost');
}

/** The number of units that could be leased now, at most `most`. */
export async function countDueUnits(tx: EngineTx, now: Moment, most: number): Promise<number> {
  const at = atMoment(now);
  const [row] = await tx.query<{ due: number }>(sql`
    select count(*)::int as due from (
      select 1 from campaigns c cross join lateral (
        select 1 from work_units u
         where u.tenant_id = c.tenant_id and u.campaign_id = c.campaign_id and u.status = 'pending' and u.run_after <= ${at}
         order by u.run_after limit ${most}) pending
       where ${isLeasable(sql`c.`, at)}
      union all
      select 1 from work_units u join campaigns c using (tenant_id, campaign_id)
       where u.status = 'leased' and u.lease_expires_at <= ${at} and ${isLeasable(sql`c.`, at)}
      limit ${most}) due`);
  return row?.due ?? 0;
}

/**
 * Lets all leases expire now. Use it only if all workers are known to have stopped. If a holder is still alive, its
 * settlement is refused once the unit is leased again. Returns the number of leases.
 */
export function takeBackLeases(tx: EngineTx): Promise<number> {
  return tx.execute(sql`
    update work_units set lease_expires_at = 'epoch' where status = 'leased'`);
}
