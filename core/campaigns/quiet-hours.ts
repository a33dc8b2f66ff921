import { z } from 'zod';
import { instantOf, isTimeZone, wallTime } from '../kernel/time-zone.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const WEEK_MINUTES = 7 * 24 * 60;
const MAX_WINDOWS = 10;

export const WEEKDAYS = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 07:30');

export const WindowSchema = z.strictObject({
  days: z.array(z.enum(WEEKDAYS)).min(1).max(7).describe('Days on which it begins'),
  from: TimeOfDay.describe('When it begins'),
  to: z
    .union([TimeOfDay, z.literal('24:00')])
    .describe('When it ends: on the next day if it is not after `from`'),
});
type Window = z.output<typeof WindowSchema>;
export type QuietHours = Window[];

/** As a person sets them: without days, a window is of every day. */
export const QuietHoursSchema = z
  .array(WindowSchema.extend({ days: WindowSchema.shape.days.default([...WEEKDAYS]) }))
  .max(MAX_WINDOWS)
  .refine(
    (windows) => quietMinutes(windows) < WEEK_MINUTES,
    'must leave a time in the week at which scans run',
  );

/** A time without scans, in milliseconds. `until` is not part of it. */
export type QuietTime = { from: number; until: number };

/**
 * The quiet time that lasts at `now`, or the next one. Windows that meet are one quiet time. Times that the clocks skip or
 * show twice are as `instantOf` says. Null if there is none. In a zone that this process does not know, which another one
 * stored, it lasts to the end of the next hour: a source that rests too long is better than one that is disturbed.
 */
export function nextQuietTime(windows: QuietHours, timeZone: string, now: number): QuietTime | null {
  if (windows.length === 0) return null;
  if (!isTimeZone(timeZone)) {
    const from = Math.floor(now / HOUR_MS) * HOUR_MS;
    return { from, until: from + 2 * HOUR_MS };
  }
  const today = Math.floor(wallTime(timeZone, now) / DAY_MS) * DAY_MS;
  const times: QuietTime[] = [];
  // A window that began yesterday may last. A chain of windows is shorter than a week.
  for (let day = today - 8 * DAY_MS; day <= today + 15 * DAY_MS; day += DAY_MS)
    for (const window of windows) {
      if (!window.days.some((name) => WEEKDAYS.indexOf(name) === new Date(day).getUTCDay())) continue;
      const { from, until } = minutesOf(window);
      const time = {
        from: instantOf(timeZone, day + from * MINUTE_MS),
        until: instantOf(timeZone, day + until * MINUTE_MS),
      };
      if (time.from < time.until) times.push(time);
    }
  times.sort((a, b) => a.from - b.from);
  let found: QuietTime | null = null;
  for (const time of times) {
    if (found !== null && time.from <= found.until)
      found = { from: found.from, until: Math.max(found.until, time.until) };
    else if (found !== null && found.until > now) return found;
    else found = time;
  }
  return found !== null && found.until > now ? found : null;
}

/** Minutes since the midnight before it begins. */
function minutesOf({ from, to }: Window): QuietTime {
  const begins = minuteOf(from);
  const ends = minuteOf(to);
  return { from: begins, until: ends > begins ? ends : ends + 24 * 60 };
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Minutes of a week that are quiet. */
function quietMinutes(windows: readonly Window[]): number {
  const minutes = new Set<number>();
  for (const window of windows)
    for (const name of window.days) {
      const { from, until } = minutesOf(window);
      for (let minute = from; minute < until; minute++)
        minutes.add((WEEKDAYS.indexOf(name) * 24 * 60 + minute) % WEEK_MINUTES);
    }
  return minutes.size;
}
