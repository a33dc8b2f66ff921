import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fallenSince, MOST_MISSED, nextDue } from '../../../core/campaigns/due-times.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { CHANGES, walkMinutes } from '../../support/zone-walk.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (text: string) => Date.parse(text);
const due = (cron: string, timeZone: string, after: string, count = 1) => {
  const times: string[] = [];
  let time = at(after);
  for (let n = 0; n < count; n++) {
    time = nextDue({ cron, timeZone }, time);
    times.push(new Date(time).toISOString().slice(0, 16));
  }
  return times;
};

test('a time of day is that of the zone, in winter and in summer', () => {
  expect(due('30 6 * * *', 'Europe/Berlin', '2026-01-10T12:00Z')).toEqual(['2026-01-11T05:30']);
  expect(due('30 6 * * *', 'Europe/Berlin', '2026-07-10T12:00Z')).toEqual(['2026-07-11T04:30']);
  expect(due('0 9 * * mon', 'America/New_York', '2026-11-27T12:00Z')).toEqual(['2026-11-30T14:00']);
});

test('a time in the hour that is skipped is due once, at the change', () => {
  // 29 March 2026: 02:00 is 03:00, at 01:00 UTC.
  expect(due('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)).toEqual([
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
  expect(due('*/20 2 * * *', 'Europe/Berlin', '2026-03-29T00:59Z', 2)).toEqual([
    '2026-03-29T01:00',
    '2026-03-30T00:00',
  ]);
});

test('a time in the hour that comes twice is due once, at the first', () => {
  // 25 October 2026: 03:00 is 02:00 again, at 01:00 UTC.
  expect(due('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual([
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
  expect(due('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 3)).toEqual([
    '2026-10-25T00:00',
    '2026-10-25T02:00',
    '2026-10-25T03:00',
  ]);
});

test('a day must satisfy its date and its weekday', () => {
  // The first Monday of a month.
  expect(due('0 3 1-7 * mon', 'UTC', '2026-11-27T00:00Z', 2)).toEqual([
    '2026-12-07T03:00',
    '2027-01-04T03:00',
  ]);
});

const List = (min: number, max: number) =>
  fc
    .uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 })
    .map((values) => values.toSorted((a, b) => a - b));
const Cron = fc
  .record({
    minutes: List(0, 59),
    hours: fc.option(List(0, 4), { nil: null }),
    weekdays: fc.option(List(0, 6), { nil: null }),
  })
  .map(({ minutes, hours, weekdays }) => ({
    cron: `${minutes.join(',')} ${hours?.join(',') ?? '*'} * * ${weekdays?.join(',') ?? '*'}`,
    matches: (wall: number) => {
      const shown = new Date(wall);
      return (
        minutes.includes(shown.getUTCMinutes()) &&
        (hours?.includes(shown.getUTCHours()) ?? true) &&
        (weekdays?.includes(shown.getUTCDay()) ?? true)
      );
    },
  }));

test('the times are those that a walk from minute to minute finds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CHANGES),
      Cron,
      fc.integer({ min: -30 * 60, max: 2 * 60 }),
      ({ zone, near }, { cron, matches }, offset) => {
        const from = at(near) + offset * 60_000;
        const until = from + 2 * DAY_MS;
        const walked: number[] = [];
        for (const { at: now, before, latest } of walkMinutes(zone, from + 60_000, until))
          for (let wall = before + 60_000; wall <= latest; wall += 60_000)
            if (matches(wall)) {
              walked.push(now);
              break;
            }
        const found: number[] = [];
        for (let time = nextDue({ cron, timeZone: zone }, from); time < until; ) {
          found.push(time);
          time = nextDue({ cron, timeZone: zone }, time);
        }
        const texts = (times: number[]) => times.map((time) => new Date(time).toISOString());
        expect(texts(found)).toEqual(texts(walked));
      },
    ),
    { numRuns: propertyRuns(90) },
  );
});

test('what was missed is counted, and the next time lies ahead', () => {
  const daily = { cron: '0 2 * * *', timeZone: 'UTC' };
  const fallen = (now: string) => fallenSince(daily, at('2026-03-01T02:00Z'), at(now));
  expect(fallen('2026-03-01T02:00:30Z')).toEqual({
    missed: 0,
    isLate: false,
    nextAt: at('2026-03-02T02:00Z'),
  });
  expect(fallen('2026-03-01T02:05:00Z')).toMatchObject({ missed: 0, isLate: false });
  expect(fallen('2026-03-01T02:05:01Z')).toMatchObject({ missed: 0, isLate: true });
  expect(fallen('2026-03-04T01:00Z')).toEqual({ missed: 2, isLate: true, nextAt: at('2026-03-04T02:00Z') });
  // The newest is not late.
  expect(fallen('2026-03-04T02:01Z')).toEqual({ missed: 3, isLate: false, nextAt: at('2026-03-05T02:00Z') });
});

test('times of years are not walked one by one', () => {
  const minutely = { cron: '* * * * *', timeZone: 'Europe/Berlin' };
  const now = at('2026-03-01T02:00:30Z');
  expect(fallenSince(minutely, at('2016-03-01T02:00Z'), now)).toEqual({
    missed: MOST_MISSED,
    isLate: false,
    nextAt: at('2026-03-01T02:01Z'),
  });
  const yearly = { cron: '0 0 29 2 *', timeZone: 'UTC' };
  expect(new Date(nextDue(yearly, now)).toISOString()).toBe('2028-02-29T00:00:00.000Z');
});
