import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  nextQuietTime,
  type QuietHours,
  QuietHoursSchema,
  WEEKDAYS,
} from '../../../core/campaigns/quiet-hours.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { CHANGES, walkMinutes } from '../../support/zone-walk.ts';

const DAY_MS = 86_400_000;
const at = (text: string) => Date.parse(text);
const quiet = (windows: unknown, zone: string, now: string) => {
  const found = nextQuietTime(QuietHoursSchema.parse(windows), zone, at(now));
  return found && [found.from, found.until].map((time) => new Date(time).toISOString().slice(0, 16));
};

test('a window over midnight belongs to the day on which it begins', () => {
  const night = [{ days: ['friday'], from: '22:00', to: '06:00' }];
  // Friday, 27 November 2026.
  expect(quiet(night, 'UTC', '2026-11-27T12:00Z')).toEqual(['2026-11-27T22:00', '2026-11-28T06:00']);
  expect(quiet(night, 'UTC', '2026-11-28T05:59Z')).toEqual(['2026-11-27T22:00', '2026-11-28T06:00']);
  expect(quiet(night, 'UTC', '2026-11-28T06:00Z')).toEqual(['2026-12-04T22:00', '2026-12-05T06:00']);
});

test('windows that meet are one quiet time', () => {
  const windows = [
    { from: '08:00', to: '12:00' },
    { from: '12:00', to: '18:00' },
    { days: ['saturday'], from: '00:00', to: '24:00' },
    { days: ['friday'], from: '17:00', to: '00:00' },
  ];
  expect(quiet(windows, 'Europe/Berlin', '2026-11-27T12:00Z')).toEqual([
    '2026-11-27T07:00',
    '2026-11-28T23:00',
  ]);
});

test('on the night of a change it lasts an hour more or less', () => {
  const night = [{ from: '22:00', to: '06:00' }];
  expect(quiet(night, 'Europe/Berlin', '2026-03-28T22:00Z')).toEqual([
    '2026-03-28T21:00',
    '2026-03-29T04:00',
  ]);
  expect(quiet(night, 'Europe/Berlin', '2026-10-24T22:00Z')).toEqual([
    '2026-10-24T20:00',
    '2026-10-25T05:00',
  ]);
});

test('no windows are no quiet time, and a whole week of them is refused', () => {
  expect(quiet([], 'UTC', '2026-11-27T12:00Z')).toBeNull();
  const always = [
    { from: '06:00', to: '18:00' },
    { from: '18:00', to: '06:00' },
  ];
  expect(QuietHoursSchema.safeParse(always).error?.issues).toMatchObject([
    { message: 'must leave a time in the week at which scans run' },
  ]);
  expect(QuietHoursSchema.safeParse([{ from: '6:00', to: '25:00' }]).success).toBe(false);
});

const Time = fc
  .integer({ min: 0, max: 24 * 12 - 1 })
  .map((n) => `${String(Math.floor(n / 12)).padStart(2, '0')}:${String((n % 12) * 5).padStart(2, '0')}`);
const Windows = fc
  .array(
    fc.record({ days: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }), from: Time, to: Time }),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .filter((windows) => QuietHoursSchema.safeParse(windows).success);

/** Whether what the clocks show is in a window, by its weekday and the minutes of that day and the day before. */
function isQuiet(windows: QuietHours, wall: number): boolean {
  const day = new Date(wall).getUTCDay();
  const time = new Date(wall).toISOString().slice(11, 16);
  return windows.some(({ days, from, to }) => {
    const begins = (of: number) => days.includes(WEEKDAYS[(of + 7) % 7] ?? 'sunday');
    if (from < to) return begins(day) && time >= from && time < to;
    return (begins(day) && time >= from) || (begins(day - 1) && time < to);
  });
}

test('the quiet time is the one that a walk from minute to minute finds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CHANGES),
      Windows,
      fc.integer({ min: -3 * 24 * 60, max: 60 }),
      ({ zone, near }, windows, offset) => {
        const now = at(near) + offset * 60_000;
        const found = nextQuietTime(windows, zone, now);
        let from: number | null = null;
        let until: number | null = null;
        for (const { at: minute, latest } of walkMinutes(zone, now - 7 * DAY_MS, now + 15 * DAY_MS)) {
          const quietNow = isQuiet(windows, latest);
          if (quietNow && (from === null || until !== null)) [from, until] = [minute, null];
          if (!quietNow && from !== null && until === null) until = minute;
          if (until !== null && until > now) break;
        }
        expect(found).toEqual({ from, until });
      },
    ),
    { numRuns: propertyRuns(45) },
  );
});

test('in a zone that this process does not know, quiet hours last, and none are none', () => {
  const now = Date.parse('2026-11-27T12:34:56Z');
  const windows = [{ days: [...WEEKDAYS], from: '20:00', to: '21:00' }];
  expect(nextQuietTime(windows, 'Mars/Olympus', now)).toEqual({
    from: Date.parse('2026-11-27T12:00Z'),
    until: Date.parse('2026-11-27T14:00Z'),
  });
  expect(nextQuietTime([], 'Mars/Olympus', now)).toBeNull();
});
