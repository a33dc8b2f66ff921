import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoTimestamp } from '../../../core/db/iso-timestamp.ts';

const MINUTE_MS = 60_000;
const moments = (min: string, max: string) =>
  fc.date({ min: new Date(min), max: new Date(max), noInvalidDate: true });
const ofFourDigits = moments('0001-01-02T00:00:00Z', '9999-12-30T23:59:59.999Z');
/** What is beyond milliseconds. */
const micros = fc.nat(999);

/** Six digits without the zeros at their end, and no point where there is none before them. */
const fractionOf = (ms: number, microseconds: number) =>
  `.${String(ms * 1_000 + microseconds).padStart(6, '0')}`.replace(/\.?0+$/, '');

/** A moment as the server writes it whose clock is so many minutes ahead of UTC. */
function written(moment: Date, microseconds: number, minutesAhead: number): string {
  const there = new Date(moment.getTime() + minutesAhead * MINUTE_MS);
  const year = there.getUTCFullYear();
  const [, dayAndTime = ''] = /^[+-]?\d+-(.*)\.\d{3}Z$/.exec(there.toISOString()) ?? [];
  const yearText = String(year > 0 ? year : 1 - year).padStart(4, '0');
  const ahead = Math.abs(minutesAhead);
  const twoDigits = (count: number) => String(count).padStart(2, '0');
  const offset = `${minutesAhead < 0 ? '-' : '+'}${twoDigits(Math.floor(ahead / 60))}`;
  const minutes = ahead % 60 === 0 ? '' : `:${twoDigits(ahead % 60)}`;
  const fraction = fractionOf(there.getUTCMilliseconds(), microseconds);
  return `${yearText}-${dayAndTime.replace('T', ' ')}${fraction}${offset}${minutes}${year > 0 ? '' : ' BC'}`;
}

describe('a timestamp that was read as text', () => {
  test.each([
    ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05.6+00', '2026-01-02T03:04:05.600Z'],
    ['2026-01-02 03:04:05.067+00', '2026-01-02T03:04:05.067Z'],
    ['2026-01-02 03:04:05.999999+00', '2026-01-02T03:04:05.999Z'],
    ['2026-01-02 03:04:05.000001+00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 01:04:05.5+02', '2026-01-01T23:04:05.500Z'],
    ['2026-01-02 03:04:05+05:30', '2026-01-01T21:34:05.000Z'],
    ['2026-01-02 23:04:05.123456-03:30', '2026-01-03T02:34:05.123Z'],
    ['1850-01-01 00:53:28+00:53:28', '1850-01-01T00:00:00.000Z'],
    ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00.000Z'],
    ['10000-01-01 00:00:00+00', '+010000-01-01T00:00:00.000Z'],
    ['0044-03-15 12:00:00.25+00 BC', '-000043-03-15T12:00:00.250Z'],
  ])('%s is %s', (text, iso) => {
    expect(isoTimestamp(text)).toBe(iso);
  });

  test('says what a Date says, of any moment of four digits', () => {
    fc.assert(
      fc.property(ofFourDigits, micros, (moment, microseconds) => {
        expect(isoTimestamp(written(moment, microseconds, 0))).toBe(moment.toISOString());
      }),
    );
  });

  test('also where the clock of the server is ahead or behind', () => {
    const minutesAhead = fc.oneof(
      fc.constantFrom(60, 120, 330, 345, -210),
      fc.integer({ min: -720, max: 840 }),
    );
    fc.assert(
      fc.property(ofFourDigits, micros, minutesAhead, (moment, microseconds, ahead) => {
        expect(isoTimestamp(written(moment, microseconds, ahead))).toBe(moment.toISOString());
      }),
    );
  });

  test('also before and after the years of four digits', () => {
    const beyond = fc.oneof(
      // The year 1 BC is left out: the client's reader takes it for one without a leap day.
      moments('-004712-01-02T00:00:00Z', '-000001-12-30T00:00:00Z'),
      moments('+010000-01-02T00:00:00Z', '+275000-01-01T00:00:00Z'),
    );
    fc.assert(
      fc.property(beyond, micros, fc.constantFrom(0, 120, -210), (moment, microseconds, ahead) => {
        expect(isoTimestamp(written(moment, microseconds, ahead))).toBe(moment.toISOString());
      }),
    );
  });

  test.each([
    'infinity',
    '-infinity',
    '',
    'now',
    '2026-01-02T03:04:05Z ',
    '02/01/2026 03:04:05 UTC',
    'Fri Jan 02 03:04:05 2026 UTC',
    '02.01.2026 03:04:05 UTC',
  ])('is refused where it is no moment, or written in another style: %j', (text) => {
    expect(() => isoTimestamp(text)).toThrow();
  });
});
