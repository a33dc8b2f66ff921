import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { CampaignId, ScopeId } from '../kernel/ids.ts';
import { ACTIVE_STATUSES } from '../work/active-campaign.sql.ts';
import { ceilingUntil, type HourOfScope, quietTimes, type RestrainedScope, reached } from './restraints.ts';
import { hourOf, loadRestraints, type ScheduleRow } from './schedules.sql.ts';

/** What scans read of a scope. */
export type Usage = RestrainedScope & { scopeId: ScopeId; calls: number; bytes: number };

type Held = RestrainedScope & {
  campaignId: CampaignId;
  quietFrom: Date | null;
  quietUntil: Date | null;
  ceilingUntil: Date | null;
};

/** Usage of hours before the present one is of no use. */
const USAGE_KEPT_MS = 2 * 3_600_000;

/**
 * Notes on active scans of the tenant, or of one scope, when they rest: the quiet time that lasts or comes next, and the
 * end of the hour where a ceiling is reached. Leasing compares the notes with the clock. Returns how many have changed.
 */
export async function holdScans(tx: Tx, now: number, scopeId: ScopeId | null = null): Promise<number> {
  const schedules = await loadRestraints(tx);
  const hour = await usageOf(tx, schedules, hourOf(now));
  const quietOf = quietTimes(schedules, now);
  const full = reached(schedules, hour);
  const scans = await tx.query<Held>(sql`
    select c.campaign_id as "campaignId", s.scope_id as "scopeId", s.family, c.quiet_from as "quietFrom",
           c.quiet_until as "quietUntil", c.ceiling_until as "ceilingUntil"
      from campaigns c join scopes s using (tenant_id, scope_id)
     where c.tenant_id = ${tx.tenantId} and c.status in ${ACTIVE_STATUSES}
       and (${scopeId}::text is null or c.scope_id = ${scopeId})
       and (${schedules.length > 0} or c.quiet_from is not null or c.ceiling_until is not null)`);
  const changed = scans.flatMap((scan) => {
    const quiet = quietOf(scan);
    const until = ceilingUntil(full, scan, hourOf(now));
    const isSame =
      same(scan.quietFrom, quiet?.from) &&
      same(scan.quietUntil, quiet?.until) &&
      same(scan.ceilingUntil, until);
    return isSame ? [] : [{ campaignId: scan.campaignId, quiet, until }];
  });
  if (changed.length === 0) return 0;
  return tx.execute(sql`
    with noted as materialized (
      -- The order in which settling locks campaigns.
      select n.* from (
        select * from unnest(${changed.map((each) => each.campaignId)}::text[],
                             ${changed.map(({ quiet }) => dateOf(quiet?.from))}::timestamptz[],
                             ${changed.map(({ quiet }) => dateOf(quiet?.until))}::timestamptz[],
                             ${changed.map(({ until }) => dateOf(until))}::timestamptz[])
          as n (campaign_id, quiet_from, quiet_until, ceiling_until) order by campaign_id) n
       cross join lateral (
         select from campaigns
          where tenant_id = ${tx.tenantId} and campaign_id = n.campaign_id for no key update) c
    )
    update campaigns c
       set quiet_from = n.quiet_from, quiet_until = n.quiet_until, ceiling_until = n.ceiling_until
      from noted n where c.tenant_id = ${tx.tenantId} and c.campaign_id = n.campaign_id`);
}

const dateOf = (at: number | null | undefined): Date | null => (at == null ? null : new Date(at));
const same = (stored: Date | null, at: number | null | undefined): boolean =>
  (stored?.getTime() ?? null) === (at ?? null);

/**
 * Adds what scans have read to the hour. Holds the scans of a ceiling that it reaches. Returns whether the tenant has any
 * ceiling; without one, nothing is stored.
 */
export async function addUsage(tx: Tx, read: readonly Usage[], now: number): Promise<boolean> {
  const ceilings = (await loadRestraints(tx)).filter(
    ({ callsPerHour, megabytesPerHour }) => callsPerHour !== null || megabytesPerHour !== null,
  );
  if (ceilings.length === 0) return false;
  await tx.execute(sql`
    insert into source_usage as u (tenant_id, hour, scope_id, calls, bytes)
    select ${tx.tenantId}, ${new Date(hourOf(now))}, n.scope_id, n.calls, n.bytes
      from unnest(${read.map(({ scopeId }) => scopeId)}::text[], ${read.map(({ calls }) => calls)}::bigint[],
                  ${read.map(({ bytes }) => bytes)}::bigint[]) as n (scope_id, calls, bytes)
     order by n.scope_id
    on conflict (tenant_id, hour, scope_id) do update
       set calls = u.calls + excluded.calls, bytes = u.bytes + excluded.bytes`);
  if (reached(ceilings, await usageOf(tx, ceilings, hourOf(now))).size > 0) await holdScans(tx, now);
  return true;
}

async function usageOf(tx: Tx, schedules: readonly ScheduleRow[], hour: number): Promise<HourOfScope[]> {
  if (schedules.length === 0) return [];
  return tx.query<HourOfScope>(sql`
    select u.scope_id as "scopeId", s.family, u.calls::float8 as calls, u.bytes::float8 as bytes
      from source_usage u join scopes s using (tenant_id, scope_id)
     where u.tenant_id = ${tx.tenantId} and u.hour = ${new Date(hour)}`);
}

/** Removes what was read in former hours. */
export const forgetUsage = (tx: Tx, now: number): Promise<number> =>
  tx.execute(sql`
    delete from source_usage where tenant_id = ${tx.tenantId} and hour < ${new Date(now - USAGE_KEPT_MS)}`);
