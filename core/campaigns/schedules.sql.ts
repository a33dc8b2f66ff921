import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { PrincipalId, ScopeId } from '../kernel/ids.ts';
import type { QuietHours } from './quiet-hours.ts';
import {
  SCHEDULED_KINDS,
  type Schedule,
  type ScheduleChange,
  type ScheduledKind,
} from './schedule-schema.ts';
import { type ScheduleTarget, targetOf, targetsOver } from './schedule-targets.sql.ts';

/** A schedule as it is stored, without its times. */
export type ScheduleRow = ScheduleTarget & {
  target: string;
  revision: number;
  timeZone: string;
  quietHours: QuietHours | null;
  callsPerHour: number | null;
  megabytesPerHour: number | null;
  whenRunning: Schedule['whenRunning'];
  whenLate: Schedule['whenLate'];
};

export type TimesRow = {
  kind: ScheduledKind;
  cron: string | null;
  nextAt: Date | null;
  lastDue: Date | null;
};

const columns = sql`
  c.target, c.family, c.scope_id as "scopeId", c.revision, c.time_zone as "timeZone", c.quiet_hours as "quietHours",
  c.calls_per_hour as "callsPerHour", c.megabytes_per_hour as "megabytesPerHour", c.when_running as "whenRunning",
  c.when_late as "whenLate"`;

/** The schedule of a target, locked until the commit; null if there is none. */
export async function lockSchedule(tx: Tx, target: string): Promise<ScheduleRow | null> {
  const [row] = await tx.query<ScheduleRow>(sql`
    select ${columns} from schedules c where c.tenant_id = ${tx.tenantId} and c.target = ${target} for no key update`);
  return row ?? null;
}

/** The times of a schedule, locked until the commit. */
export const lockTimes = (tx: Tx, target: string): Promise<TimesRow[]> =>
  tx.query<TimesRow>(sql`
    select kind, cron, next_at as "nextAt", last_due as "lastDue" from schedule_times
     where tenant_id = ${tx.tenantId} and target = ${target} order by kind for no key update`);

/** Stores a schedule with the next revision. Returns false if it does not have the revision that the change names. */
export async function storeSchedule(
  tx: Tx,
  change: ScheduleChange,
  changedBy: PrincipalId,
  now: number,
): Promise<boolean> {
  const quietHours = change.quietHours === null ? null : sql.json(change.quietHours);
  const stored = await tx.execute(sql`
    insert into schedules as c (tenant_id, target, family, scope_id, time_zone, quiet_hours, calls_per_hour, megabytes_per_hour,
                                when_running, when_late, revision, changed_at, changed_by)
    select ${tx.tenantId}, ${targetOf(change)}, ${change.family}, ${change.scopeId}, ${change.timeZone}, ${quietHours}::jsonb,
           ${change.callsPerHour}, ${change.megabytesPerHour}, ${change.whenRunning}, ${change.whenLate},
           ${change.revision} + 1, ${new Date(now)}, ${changedBy}
    on conflict (tenant_id, target) do update
       set time_zone = excluded.time_zone, quiet_hours = excluded.quiet_hours, calls_per_hour = excluded.calls_per_hour,
           megabytes_per_hour = excluded.megabytes_per_hour, when_running = excluded.when_running,
           when_late = excluded.when_late, revision = excluded.revision, changed_at = excluded.changed_at,
           changed_by = excluded.changed_by
     where c.revision = ${change.revision}`);
  return stored > 0;
}

/** Stores when a kind of scan is due. @param times null: as the wider schedule says */
export async function storeTimes(
  tx: Tx,
  target: string,
  kind: ScheduledKind,
  times: { cron: string | null; nextAt: number | null } | null,
  now: number,
): Promise<void> {
  if (times === null) {
    await tx.execute(sql`
      delete from schedule_times where tenant_id = ${tx.tenantId} and target = ${target} and kind = ${kind}`);
    return;
  }
  await tx.execute(sql`
    insert into schedule_times (tenant_id, target, kind, cron, next_at, planned_at)
    values (${tx.tenantId}, ${target}, ${kind}, ${times.cron}, ${times.nextAt === null ? null : new Date(times.nextAt)},
            ${new Date(now)})
    on conflict (tenant_id, target, kind) do update
       set cron = excluded.cron, next_at = excluded.next_at, planned_at = excluded.planned_at`);
}

/** Schedules that say when scans rest, or how much they may read. */
export const loadRestraints = (tx: Tx): Promise<ScheduleRow[]> =>
  tx.query<ScheduleRow>(sql`
    select ${columns} from schedules c
     where c.tenant_id = ${tx.tenantId}
       and (c.quiet_hours is not null or c.calls_per_hour is not null or c.megabytes_per_hour is not null)`);

/** The hour of the clock in which a source is used, in milliseconds. */
export const hourOf = (now: number): number => Math.floor(now / 3_600_000) * 3_600_000;

type Listed = ScheduleRow & {
  scopeName: string | null;
  changedAt: Date;
  changedBy: string;
  calls: number;
  bytes: number;
};

type ListedTimes = {
  target: string;
  kind: ScheduledKind;
  cron: string | null;
  nextAt: Date | null;
  dueAt: Date | null;
  lateSeconds: number | null;
  missedTimes: number | null;
  started: number;
  waiting: number;
  skipped: number;
  refused: number;
};

/** Which schedules are listed: one, those that include a scope, or all. */
type Which = { target: string } | { scopeId: string } | 'all';

function chosen(which: Which): Statement {
  if (which === 'all') return sql`true`;
  if ('target' in which) return sql`c.target = ${which.target}`;
  return sql`exists (select from scopes o where o.tenant_id = c.tenant_id and o.scope_id = ${which.scopeId}
                and c.target in ${targetsOver(sql`o.family`, sql`o.scope_id`)})`;
}

/** Schedules of the tenant with their newest runs, the widest first; at most `limit`. */
export async function listSchedules(tx: Tx, which: Which, limit: number, now: number): Promise<Schedule[]> {
  const rows = await tx.query<Listed>(sql`
    select ${columns}, s.name as "scopeName", c.changed_at as "changedAt", c.changed_by as "changedBy",
           used.calls::float8 as calls, used.bytes::float8 as bytes
      from schedules c left join scopes s on s.tenant_id = c.tenant_id and s.scope_id = c.scope_id
     cross join lateral (
       select coalesce(sum(u.calls), 0) as calls, coalesce(sum(u.bytes), 0) as bytes
         from source_usage u join scopes of using (tenant_id, scope_id)
        where u.tenant_id = c.tenant_id and u.hour = ${new Date(hourOf(now))}
          and coalesce(of.family = c.family, true) and coalesce(of.scope_id = c.scope_id, true)) used
     where c.tenant_id = ${tx.tenantId} and ${chosen(which)}
     order by c.target limit ${limit}`);
  const times = await timesOf(
    tx,
    rows.map(({ target }) => target),
    now,
  );
  return rows.map((row) => toSchedule(row, times));
}

const timesOf = (tx: Tx, targets: readonly string[], now: number): Promise<ListedTimes[]> =>
  tx.query<ListedTimes>(sql`
    select t.target, t.kind, t.cron, t.next_at as "nextAt", r."dueAt", r."lateSeconds", r."missedTimes", r.started,
           r.waiting, r.skipped, r.refused
      from schedule_times t cross join lateral (
        select max(r.due) as "dueAt", max(r.missed) as "missedTimes",
               max(greatest(0, extract(epoch from coalesce(r.ended_at, ${new Date(now)}) - r.due)))::int as "lateSeconds",
               count(*) filter (where r.outcome = 'started')::int as started,
               count(*) filter (where r.outcome is null)::int as waiting,
               count(*) filter (where r.outcome in ('late', 'running', 'withdrawn'))::int as skipped,
               count(*) filter (where r.outcome = 'refused')::int as refused
          from schedule_runs r
         where r.tenant_id = t.tenant_id and r.target = t.target and r.kind = t.kind
           and (r.outcome is null or r.due = t.last_due)) r
     where t.tenant_id = ${tx.tenantId} and t.target = any(${targets}::text[])`);

function toSchedule(row: Listed, times: readonly ListedTimes[]): Schedule {
  const [inventory, delta] = SCHEDULED_KINDS.map((kind) => {
    const found = times.find((each) => each.target === row.target && each.kind === kind);
    return found === undefined ? null : scheduledTimes(found);
  });
  const isBounded = row.callsPerHour !== null || row.megabytesPerHour !== null;
  return {
    family: row.family as Schedule['family'],
    scopeId: row.scopeId,
    scopeName: row.scopeName,
    revision: row.revision,
    timeZone: row.timeZone,
    inventory: inventory ?? null,
    delta: delta ?? null,
    quietHours: row.quietHours,
    callsPerHour: row.callsPerHour,
    megabytesPerHour: row.megabytesPerHour,
    thisHour: isBounded ? { calls: row.calls, megabytes: Math.round(row.bytes / 10_000) / 100 } : null,
    whenRunning: row.whenRunning,
    whenLate: row.whenLate,
    changedAt: row.changedAt.toISOString(),
    changedBy: row.changedBy,
  };
}

const scheduledTimes = ({
  target,
  kind,
  cron,
  nextAt,
  dueAt,
  ...last
}: ListedTimes): Schedule['inventory'] => ({
  cron,
  nextAt: nextAt?.toISOString() ?? null,
  last:
    dueAt === null
      ? null
      : {
          dueAt: dueAt.toISOString(),
          lateSeconds: last.lateSeconds ?? 0,
          missedTimes: last.missedTimes ?? 0,
          started: last.started,
          waiting: last.waiting,
          skipped: last.skipped,
          refused: last.refused,
        },
});

/** The scope of a schedule exists. */
export async function hasScope(tx: Tx, scopeId: string): Promise<boolean> {
  const found = await tx.query<{ scopeId: ScopeId }>(sql`
    select scope_id as "scopeId" from scopes where tenant_id = ${tx.tenantId} and scope_id = ${scopeId}`);
  return found.length > 0;
}
