import type { AuditDetail } from '../audit/event.ts';
import type { Tx } from '../db/tx.ts';
import type { By } from '../governance/by.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { nextDue } from './due-times.ts';
import { holdScans } from './holds.sql.ts';
import type { QuietHours } from './quiet-hours.ts';
import { withdrawRuns } from './schedule-runs.sql.ts';
import {
  SCHEDULED_KINDS,
  type Schedule,
  type ScheduleChange,
  type ScheduledKind,
} from './schedule-schema.ts';
import { targetOf } from './schedule-targets.sql.ts';
import {
  hasScope,
  listSchedules,
  lockSchedule,
  lockTimes,
  type ScheduleRow,
  storeSchedule,
  storeTimes,
  type TimesRow,
} from './schedules.sql.ts';

/**
 * Replaces the schedule of a scope, a family or all scopes, and audits what it was and is. Active scans follow it at once.
 * Throws `not_found` for a scope that does not exist, and `conflict` if the schedule has another revision.
 */
export async function changeSchedule(
  tx: Tx,
  change: ScheduleChange,
  { principal, audit, now }: By,
): Promise<Schedule> {
  if (change.scopeId !== null && !(await hasScope(tx, change.scopeId))) throw notFound();
  const target = targetOf(change);
  const former = await lockSchedule(tx, target);
  const formerTimes = await lockTimes(tx, target);
  const isUnchanged = (former?.revision ?? 0) === change.revision;
  if (!isUnchanged || !(await storeSchedule(tx, change, principal.principalId, now)))
    throw new ServiceError('conflict', 'The schedule has changed since you read it. Read it again.');
  for (const kind of SCHEDULED_KINDS) {
    const stored = formerTimes.find((each) => each.kind === kind);
    await changeTimes(tx, change, kind, stored, former?.timeZone, now);
  }
  await holdScans(tx, now);
  audit({
    category: 'config',
    type: 'schedule_changed',
    target: { kind: 'schedule', id: target },
    details: beforeAndAfter(former && partsOf(former, formerTimes), change),
  });
  const [schedule] = await listSchedules(tx, { target }, 1, now);
  if (schedule === undefined) throw new Error('The schedule has gone during a transaction');
  return schedule;
}

/** A time that was computed stays if nothing of it changes: it may be due and not recorded yet. */
async function changeTimes(
  tx: Tx,
  change: ScheduleChange,
  kind: ScheduledKind,
  stored: TimesRow | undefined,
  formerZone: string | undefined,
  now: number,
): Promise<void> {
  const times = change[kind];
  const isSame = stored !== undefined && stored.cron === times?.cron && formerZone === change.timeZone;
  if (isSame || (times === null && stored === undefined)) return;
  const { timeZone } = change;
  const cron = times?.cron ?? null;
  const nextAt =
    cron === null ? null : nextDue({ cron, timeZone }, Math.max(now, stored?.lastDue?.getTime() ?? now));
  await storeTimes(tx, targetOf(change), kind, times && { cron, nextAt }, now);
  await withdrawRuns(tx, targetOf(change), kind, now);
}

type Parts = Omit<ScheduleChange, 'family' | 'scopeId' | 'revision'>;

function partsOf(row: ScheduleRow, times: readonly TimesRow[]): Parts {
  const [inventory, delta] = SCHEDULED_KINDS.map((kind) => {
    const found = times.find((each) => each.kind === kind);
    return found === undefined ? null : { cron: found.cron };
  });
  return { ...row, inventory: inventory ?? null, delta: delta ?? null };
}

/** The parts that differ, as `nameBefore` and `nameAfter`. Null: there was no schedule, or the part was not set. */
function beforeAndAfter(former: Parts | null, change: Parts): Record<string, AuditDetail> {
  const before = former === null ? {} : auditedParts(former);
  const after = auditedParts(change);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names
      .filter((name) => before[name] !== after[name])
      .flatMap((name) => [
        [`${name}Before`, before[name] ?? null],
        [`${name}After`, after[name] ?? null],
      ]),
  );
}

function auditedParts({ quietHours, inventory, delta, ...parts }: Parts): Record<string, AuditDetail> {
  const windows = (quietHours ?? []).map((window, nth) => [`quietHours${nth + 1}`, auditedWindow(window)]);
  return {
    timeZone: parts.timeZone.replaceAll('+', 'plus'),
    ...auditedTimes('inventory', inventory),
    ...auditedTimes('delta', delta),
    quietHours: quietHours?.length ?? null,
    ...Object.fromEntries(windows),
    callsPerHour: parts.callsPerHour,
    megabytesPerHour: parts.megabytesPerHour,
    whenRunning: parts.whenRunning,
    whenLate: parts.whenLate,
  };
}

/**
 * The trail has no spaces, stars and commas: `0 2 * * 1,3` is `0_2_any_any_1.3`. Longer times than it takes are in pieces:
 * `delta`, `delta2` and so on.
 */
function auditedTimes(
  name: ScheduledKind,
  times: { cron: string | null } | null,
): Record<string, AuditDetail> {
  if (times === null) return { [name]: null };
  const text =
    times.cron?.trim().replaceAll(/\s+/g, '_').replaceAll('*', 'any').replaceAll(',', '.') ?? 'never';
  const pieces = text.match(/.{1,120}/g) ?? [];
  return Object.fromEntries(pieces.map((piece, nth) => [nth === 0 ? name : `${name}${nth + 1}`, piece]));
}

const auditedWindow = ({ days, from, to }: QuietHours[number]): string =>
  `${days.map((day) => day.slice(0, 3)).join('.')}:${from}-${to}`;
