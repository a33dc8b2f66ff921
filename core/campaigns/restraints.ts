import { nextQuietTime, type QuietTime } from './quiet-hours.ts';
import { targetOf } from './schedule-targets.sql.ts';
import type { ScheduleRow } from './schedules.sql.ts';

const HOUR_MS = 3_600_000;
export const MEGABYTE = 1_000_000;

/** A scope as schedules choose it. */
export type RestrainedScope = { family: string; scopeId: string };

/** What scans have read of a scope in the hour of the clock that began at `hour`. */
export type HourOfScope = RestrainedScope & { calls: number; bytes: number };

/** The targets of all schedules that include a scope, the narrowest first. */
const targetsOver = ({ family, scopeId }: RestrainedScope): readonly string[] => [
  targetOf({ family: null, scopeId }),
  targetOf({ family, scopeId: null }),
  targetOf({ family: null, scopeId: null }),
];

/**
 * The quiet time of each scope that lasts or comes next: the narrowest schedule with quiet hours decides. Null if there is
 * none.
 */
export function quietTimes(schedules: readonly ScheduleRow[], now: number) {
  const quiet = new Map(
    schedules.flatMap(({ target, quietHours, timeZone }) =>
      quietHours === null ? [] : [[target, { quietHours, timeZone }] as const],
    ),
  );
  const known = new Map<string, QuietTime | null>();
  return (scope: RestrainedScope): QuietTime | null => {
    const target = targetsOver(scope).find((each) => quiet.has(each));
    const schedule = target === undefined ? undefined : quiet.get(target);
    if (target === undefined || schedule === undefined) return null;
    const found = known.get(target) ?? nextQuietTime(schedule.quietHours, schedule.timeZone, now);
    known.set(target, found);
    return found;
  };
}

/** The schedules with a ceiling that include a scope. */
export const ceilingsOver = (schedules: readonly ScheduleRow[], scope: RestrainedScope): ScheduleRow[] =>
  schedules.filter(
    ({ target, callsPerHour, megabytesPerHour }) =>
      (callsPerHour !== null || megabytesPerHour !== null) && targetsOver(scope).includes(target),
  );

/**
 * The targets of schedules that have reached their ceiling: in this hour, as much was read of the scopes that they include.
 * Each ceiling holds.
 */
export function reached(
  schedules: readonly ScheduleRow[],
  hour: readonly HourOfScope[],
): ReadonlySet<string> {
  const read = new Map<string, { calls: number; bytes: number }>();
  for (const scope of hour)
    for (const target of targetsOver(scope)) {
      const { calls = 0, bytes = 0 } = read.get(target) ?? {};
      read.set(target, { calls: calls + scope.calls, bytes: bytes + scope.bytes });
    }
  const isReached = ({ target, callsPerHour, megabytesPerHour }: ScheduleRow) => {
    const { calls = 0, bytes = 0 } = read.get(target) ?? {};
    return (
      (callsPerHour !== null && calls >= callsPerHour) ||
      (megabytesPerHour !== null && bytes >= megabytesPerHour * MEGABYTE)
    );
  };
  return new Set(schedules.filter(isReached).map(({ target }) => target));
}

/** Until when a reached ceiling holds the scans of a scope: the end of the hour. Null if none does. */
export const ceilingUntil = (
  reachedOnes: ReadonlySet<string>,
  scope: RestrainedScope,
  hour: number,
): number | null => (targetsOver(scope).some((each) => reachedOnes.has(each)) ? hour + HOUR_MS : null);
