import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import type { ScopeId, TenantId } from '../kernel/ids.ts';
import { ACTIVE_STATUSES } from '../work/active-campaign.sql.ts';
import type { Schedule, ScheduledKind } from './schedule-schema.ts';
import { type ScheduleTarget, targetInForce } from './schedule-targets.sql.ts';

/** No right clock is ahead of the present by more. */
const AHEAD_MS = 60_000;
const FAR_AHEAD_MS = 24 * 3_600_000;

/** `withdrawn`: its times were changed before it started. */
export type RunOutcome = 'started' | 'late' | 'running' | 'refused' | 'withdrawn';

export type DueTimes = ScheduleTarget & {
  target: string;
  kind: ScheduledKind;
  cron: string;
  timeZone: string;
  whenLate: Schedule['whenLate'];
  nextAt: Date;
  lastDue: Date | null;
};

export type WaitingRun = { scopeId: ScopeId; kind: ScheduledKind; due: Date };
export type TakenRun = { due: Date; missed: number; whenRunning: Schedule['whenRunning'] };

/** Tenants that have schedules. */
export async function tenantsWithSchedules(tx: EngineTx): Promise<TenantId[]> {
  const rows = await tx.query<{ tenantId: TenantId }>(sql`
    select distinct tenant_id as "tenantId" from schedules order by tenant_id`);
  return rows.map(({ tenantId }) => tenantId);
}

/**
 * The times that are due, and those that were computed by a clock that ran ahead. They are locked until the commit, and
 * those that another process has locked are left to it.
 */
export const takeDueTimes = (tx: Tx, now: number): Promise<DueTimes[]> =>
  tx.query<DueTimes>(sql`
    select t.target, c.family, c.scope_id as "scopeId", t.kind, t.cron, c.time_zone as "timeZone", c.when_late as "whenLate", t.next_at as "nextAt",
           t.last_due as "lastDue"
      from schedule_times t join schedules c using (tenant_id, target)
     where t.tenant_id = ${tx.tenantId} and t.cron is not null
       and (t.next_at <= ${new Date(now)} or t.planned_at > ${new Date(now + AHEAD_MS)})
     order by t.target, t.kind for no key update of t skip locked`);

/** Stores the next time. `due`: the time whose runs were recorded; null if it was only computed again. */
export async function storeNext(
  tx: Tx,
  { target, kind }: DueTimes,
  { due, nextAt }: { due: Date | null; nextAt: number },
  now: number,
): Promise<void> {
  await tx.execute(sql`
    update schedule_times
       set next_at = ${new Date(nextAt)}, planned_at = ${new Date(now)}, last_due = coalesce(${due}, last_due)
     where tenant_id = ${tx.tenantId} and target = ${target} and kind = ${kind}`);
}

/**
 * Records a run of each scope for which these times hold and that can be scanned. A scope whose last run has yet to start
 * keeps it: it stands for both. A time that is not after that of the last run is not recorded. Returns how many were.
 * @param outcome `late` if they do not start, null if they wait for their start
 */
export const recordRuns = (
  tx: Tx,
  { target, family, scopeId, kind, nextAt }: DueTimes,
  { missed, outcome }: { missed: number; outcome: 'late' | null },
  now: number,
): Promise<number> =>
  tx.execute(sql`
    insert into schedule_runs as r (tenant_id, scope_id, kind, target, due, missed, outcome, ended_at)
    select s.tenant_id, s.scope_id, ${kind}, ${target}, ${nextAt}, ${missed}, ${outcome}::text,
           case when ${outcome}::text is not null then ${new Date(now)}::timestamptz end
      from scopes s
     where s.tenant_id = ${tx.tenantId} and s.selected and s.inaccessible_since is null
       and (${kind} = 'inventory' or s.coverage_state is not null)
       and ${family === null ? sql`true` : sql`s.family = ${family}`} and ${scopeId === null ? sql`true` : sql`s.scope_id = ${scopeId}`}
       and ${targetInForce(kind)} = ${target}
     order by s.scope_id
    on conflict (tenant_id, scope_id, kind) do update
       set target = excluded.target,
           due = case when r.outcome is null then r.due else excluded.due end,
           missed = case when r.outcome is null then r.missed + 1 + excluded.missed else excluded.missed end,
           outcome = case when r.outcome is not null then excluded.outcome end,
           ended_at = case when r.outcome is not null then excluded.ended_at end
     where r.due < excluded.due`);

/**
 * Runs that have yet to start, the oldest first, after the given one; at most `limit`. Of a scope, an inventory comes before a
 * delta that is due at the same time. Queued ones wait for the end of the active scan.
 */
export const waitingRuns = (tx: Tx, after: WaitingRun | null, limit: number): Promise<WaitingRun[]> =>
  tx.query<WaitingRun>(sql`
    select r.scope_id as "scopeId", r.kind, r.due from schedule_runs r left join schedules c using (tenant_id, target)
     where r.tenant_id = ${tx.tenantId} and r.outcome is null
       and ${
         after === null
           ? sql`true`
           : sql`((r.due, r.scope_id) > (${after.due}, ${after.scopeId})
                  or r.due = ${after.due} and r.scope_id = ${after.scopeId} and r.kind < ${after.kind})`
       }
       and not coalesce(c.when_running = 'queue' and exists (
         select from campaigns a
          where a.tenant_id = r.tenant_id and a.scope_id = r.scope_id and a.status in ${ACTIVE_STATUSES}), false)
     order by r.due, r.scope_id, r.kind desc limit ${limit}`);

/** Takes a run that has yet to start. Null if another process has taken it or it does not wait any more. */
export async function takeRun(tx: Tx, { scopeId, kind }: WaitingRun): Promise<TakenRun | null> {
  const [taken] = await tx.query<TakenRun>(sql`
    select r.due, r.missed, coalesce(c.when_running, 'skip') as "whenRunning"
      from schedule_runs r left join schedules c using (tenant_id, target)
     where r.tenant_id = ${tx.tenantId} and r.scope_id = ${scopeId} and r.kind = ${kind} and r.outcome is null
       for no key update of r skip locked`);
  return taken ?? null;
}

export async function endRun(
  tx: Tx,
  { scopeId, kind }: WaitingRun,
  outcome: RunOutcome,
  now: number,
): Promise<void> {
  await tx.execute(sql`
    update schedule_runs set outcome = ${outcome}, ended_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and kind = ${kind}`);
}

/** Ends the runs of a schedule that have yet to start, because its times were changed. */
export async function withdrawRuns(tx: Tx, target: string, kind: ScheduledKind, now: number): Promise<void> {
  await tx.execute(sql`
    update schedule_runs set outcome = 'withdrawn', ended_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and target = ${target} and kind = ${kind} and outcome is null`);
}

/** Brings back times far ahead, which a wrong clock recorded: no run would start until then. */
export async function bringBackDue(tx: Tx, now: number): Promise<void> {
  const far = new Date(now + FAR_AHEAD_MS);
  await tx.execute(sql`
    update schedule_runs set due = ${new Date(now)} where tenant_id = ${tx.tenantId} and due > ${far}`);
  await tx.execute(sql`
    update schedule_times set last_due = ${new Date(now)} where tenant_id = ${tx.tenantId} and last_due > ${far}`);
}
