import { ceilingsOver, MEGABYTE, quietTimes, type RestrainedScope } from '../campaigns/restraints.ts';
import type { ScheduleRow } from '../campaigns/schedules.sql.ts';
import type { Figure } from './estimate-schema.ts';
import type { EndedScan } from './known.sql.ts';
import type { WorkFigures } from './work-figures.ts';

const MINUTES_AN_HOUR = 60;

/** The scans without the time of those that quiet hours interrupted. */
export const withoutQuiet = (scans: readonly EndedScan[], schedules: readonly ScheduleRow[]): EndedScan[] =>
  scans.map((scan) => {
    const { startedAt, finishedAt } = scan;
    const quiet = quietTimes(schedules, startedAt.getTime())(scan);
    return quiet !== null && quiet.from < finishedAt.getTime() ? { ...scan, seconds: null } : scan;
  });

/** The minutes with the hours that a scan waits for because of a ceiling. Nothing else is taken to read in these hours. */
export function withCeilings(
  minutes: Figure,
  { calls, bytes }: Pick<WorkFigures, 'calls' | 'bytes'>,
  scope: RestrainedScope,
  schedules: readonly ScheduleRow[],
): Figure {
  const hoursOf = (bound: 'low' | 'high') =>
    Math.max(
      0,
      ...ceilingsOver(schedules, scope).flatMap(({ callsPerHour, megabytesPerHour }) => [
        callsPerHour === null ? 0 : Math.ceil((calls[bound] ?? 0) / callsPerHour),
        megabytesPerHour === null ? 0 : Math.ceil((bytes[bound] ?? 0) / (megabytesPerHour * MEGABYTE)),
      ]),
    );
  const [least, most] = [hoursOf('low'), hoursOf('high')];
  if (Math.max(least, most) <= 1) return minutes;
  // It begins late in one hour and ends early in another.
  const low = Math.max(minutes.low ?? 0, MINUTES_AN_HOUR * Math.max(0, least - 2));
  return {
    ...minutes,
    low,
    high: minutes.high === null ? null : minutes.high + MINUTES_AN_HOUR * most,
    why: 'Ceilings of schedules make it wait for the next hour.',
  };
}
