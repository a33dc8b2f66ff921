import { nextTime, parseFiveFields } from '../kernel/ncrontab.ts';
import { instantOf, wallTime } from '../kernel/time-zone.ts';

/** When something is due: a cron expression of five fields, read on the clocks of a time zone. */
export type Timing = { cron: string; timeZone: string };

/** A run that begins later than this after its time is late. Timers look every minute. */
export const LATE_AFTER_MS = 5 * 60_000;
/** Times that nobody ran are counted up to here. */
export const MOST_MISSED = 1_000;

/**
 * The first time that something is due after an instant, in milliseconds. When the clocks are set forward, the times that
 * they skip are due once, at the change. When they are set back, a time that they show twice is due once, at the first.
 */
export function nextDue({ cron, timeZone }: Timing, after: number): number {
  const schedule = parseFiveFields(cron);
  let wall = wallTime(timeZone, after);
  while (true) {
    const next = nextTime(schedule, wall);
    if (next === undefined) throw new Error('The expression never occurs');
    const at = instantOf(timeZone, next);
    if (at > after) return at;
    // The second showing of an hour, or a time that was due at a change.
    wall = next;
  }
}

/** `missed`: further times up to now, at most `MOST_MISSED`. `isLate`: the newest of all is late too. */
export type Fallen = { missed: number; isLate: boolean; nextAt: number };

/** What has become of a time that was due, and of those after it, when somebody looks at `now`. */
export function fallenSince(timing: Timing, due: number, now: number): Fallen {
  let missed = 0;
  let last = due;
  let nextAt = nextDue(timing, due);
  while (nextAt <= now && missed < MOST_MISSED) {
    missed++;
    last = nextAt;
    nextAt = nextDue(timing, nextAt);
  }
  if (nextAt > now) return { missed, isLate: now - last > LATE_AFTER_MS, nextAt };
  return { missed, isLate: nextDue(timing, now - LATE_AFTER_MS) > now, nextAt: nextDue(timing, now) };
}
