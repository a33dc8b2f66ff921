import { nextQuietTime, type QuietTime } from './quiet-hours.ts';
import type { ScheduleRow } from './schedules.sql.ts';

const HOUR_MS = 3_600_000;
const MEGABYTE = 1_000_000;

/** A scope as schedules choose it. */
export type RestrainedScope = { family: string; scopeId: string };

/** What scans have read of a scope in the hour of the clock that began at `hour`. */
export type HourOfScope = RestrainedScope & { calls: number; bytes: number };

const includes = (schedule: ScheduleRow, { family, scopeId }: RestrainedScope): boolean =>
  (schedule.family === null || schedule.family === family) &&
  (schedule.scopeId === null || schedule.scopeId === scopeId);

const breadth = ({ family, scopeId }: ScheduleRow): number =>
  scopeId !== null ? 0 : family !== null ? 1 : 2;

/**
 * The quiet time of each scope that lasts or comes next: the narrowest schedule with quiet hours decides. Null if there is
 * none.
 */
export function quietTimes(schedules: readonly ScheduleRow[], now: number) {
  const narrowestFirst = schedules
    .filter(({ quietHours }) => quietHours !== null)
    .toSorted((a, b) => breadth(a) - breadth(b));
  const known = new Map<ScheduleRow, QuietTime | null>();
  return (scope: RestrainedScope): QuietTime | null => {
    const schedule = narrowestFirst.find((each) => includes(each, scope));
    if (schedule === undefined) return null;
    const found = known.get(schedule) ?? nextQuietTime(schedule.quietHours ?? [], schedule.timeZone, now);
    known.set(schedule, found);
    return found;
  };
}

/** Schedules whose ceiling is reached by what was read in an hour of all that they include. Each ceiling holds. */
export const reached = (
  schedules: readonly ScheduleRow[],
  hour: readonly HourOfScope[],
): readonly ScheduleRow[] =>
  schedules.filter((schedule) => {
    const { callsPerHour, megabytesPerHour } = schedule;
    const read = hour.filter((each) => includes(schedule, each));
    const calls = read.reduce((sum, each) => sum + each.calls, 0);
    const bytes = read.reduce((sum, each) => sum + each.bytes, 0);
    return (
      (callsPerHour !== null && calls >= callsPerHour) ||
      (megabytesPerHour !== null && bytes >= megabytesPerHour * MEGABYTE)
    );
  });

/** Until when a reached ceiling holds the scans of a scope: the end of the hour. Null if none does. */
export const ceilingUntil = (
  reachedOnes: readonly ScheduleRow[],
  scope: RestrainedScope,
  hour: number,
): number | null => (reachedOnes.some((each) => includes(each, scope)) ? hour + HOUR_MS : null);
