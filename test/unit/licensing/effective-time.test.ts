import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anchoredClock,
  CONFIRMED_AFTER_MS,
  clockState,
  type KeptClock,
  MAX_JUMP_MS,
  observeClock,
  TOLERANCE_MS,
} from '../../../core/licensing/effective-time.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-11-24T00:00:00Z');
const START: KeptClock = { mark: NOW, seen: NOW, aheadSince: null };

const evidence = (system: number, more: Partial<Parameters<typeof observeClock>[1]> = {}) => ({
  ...{ system, lastAuditEvent: null, lastCheckpoint: null, issuedAt: NOW - DAY },
  ...more,
});
/** Looks at the system clock at each of these times. */
const seenAt = (kept: KeptClock, times: readonly number[]) =>
  times.reduce((clock, time) => observeClock(clock, evidence(time)).clock, kept);
/** Hourly looks, from a time on. */
const hourly = (from: number, hours: number) =>
  Array.from({ length: hours }, (_, n) => from + (n + 1) * HOUR);

const times = fc.integer({ min: NOW - 3_650 * DAY, max: NOW + 3_650 * DAY });
const anyEvidence = fc.record({
  system: times,
  lastAuditEvent: fc.option(times),
  lastCheckpoint: fc.option(times),
  issuedAt: fc.constant(NOW - DAY),
});

describe('the effective time', () => {
  test('begins as the greatest of all evidence', () => {
    fc.assert(
      fc.property(anyEvidence, fc.integer({ min: NOW - DAY, max: NOW + DAY }), (each, issuedAt) => {
        const { clock } = observeClock(null, { ...each, issuedAt });
        const all = [each.system, each.lastAuditEvent, each.lastCheckpoint, issuedAt];
        expect(clock.mark).toBe(Math.max(...all.filter((time) => time !== null)));
      }),
    );
  });

  test('is the greatest of all evidence within a jump', () => {
    const near = fc.integer({ min: NOW - 365 * DAY, max: NOW + MAX_JUMP_MS });
    fc.assert(
      fc.property(near, fc.option(near), fc.option(near), (lastSystem, lastAuditEvent, lastCheckpoint) => {
        const given = evidence(lastSystem, { lastAuditEvent, lastCheckpoint });
        const { clock } = observeClock(START, given);
        const all = [NOW, lastSystem, lastAuditEvent, lastCheckpoint, given.issuedAt];
        expect(clock.mark).toBe(Math.max(...all.filter((time) => time !== null)));
      }),
    );
  });

  test('never goes back, nor before the issue time, whatever the clocks say', () => {
    fc.assert(
      fc.property(fc.array(anyEvidence, { maxLength: 40 }), (seen) => {
        let clock = START;
        for (const each of seen) {
          const next = observeClock(clock, each).clock;
          expect(next.mark).toBeGreaterThanOrEqual(clock.mark);
          expect(next.mark).toBeGreaterThanOrEqual(each.issuedAt);
          clock = next;
        }
      }),
    );
  });

  test('moves on by at most a jump at once, unless it believes the clock', () => {
    fc.assert(
      fc.property(fc.array(anyEvidence, { maxLength: 40 }), (seen) => {
        let clock = START;
        for (const each of seen) {
          const { clock: next, change } = observeClock(clock, each);
          if (change !== 'ahead_believed') expect(next.mark - clock.mark).toBeLessThanOrEqual(MAX_JUMP_MS);
          clock = next;
        }
      }),
    );
  });

  test('runs on however often and far the clock is set back', () => {
    // Between two looks the clock runs; at some looks somebody has set it back, by more than it runs in two of them.
    const step = fc.record({
      ran: fc.integer({ min: 0, max: DAY / 2 }),
      setBack: fc.oneof(fc.constant(0), fc.integer({ min: TOLERANCE_MS + DAY, max: 400 * DAY })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let clock = START;
        let system = NOW;
        let ran = 0;
        for (const { ran: more, setBack } of steps) {
          system += more - setBack;
          // What ran just before the clock was set back is not seen.
          if (setBack === 0) ran += more;
          clock = observeClock(clock, evidence(system)).clock;
        }
        expect(clock.mark).toBeGreaterThanOrEqual(NOW + ran);
      }),
    );
  });

  test('is told as set back where the clock is behind the last audit event', () => {
    // Every quarter of an hour somebody sets the clock back by just that long, before it is looked at.
    const look = (lastAuditEvent: number) => observeClock(START, evidence(NOW, { lastAuditEvent }));
    expect(look(NOW + 14 * 60_000)).toMatchObject({
      clock: { mark: NOW + 14 * 60_000, seen: NOW },
      change: 'set_back',
    });
    expect(look(NOW + MAX_JUMP_MS + HOUR).change).toBe('set_back');
    expect(look(NOW + TOLERANCE_MS).change).toBeNull();
  });

  test('takes the time that the vendor signed as it is', () => {
    const issuedAt = NOW + 200 * DAY;
    expect(observeClock(START, evidence(NOW, { issuedAt })).clock.mark).toBe(issuedAt);
  });

  test('is the system clock of a service that runs', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 * DAY }), { maxLength: 50 }), (steps) => {
        let system = NOW;
        let clock = START;
        for (const step of steps) {
          system += step;
          const seen = observeClock(clock, evidence(system));
          expect(seen).toMatchObject({ clock: { mark: system, aheadSince: null }, change: null });
          clock = seen.clock;
        }
      }),
    );
  });

  test('is not moved by two processes whose clocks differ a little', () => {
    const clock = seenAt(
      START,
      hourly(NOW, 100).flatMap((time) => [time, time + TOLERANCE_MS, time]),
    );
    expect(clock.mark).toBe(NOW + 100 * HOUR + TOLERANCE_MS);
  });
});

test('the mark follows the clock that is ahead, of two processes whose clocks differ', () => {
  const skew = fc.integer({ min: 0, max: MAX_JUMP_MS });
  fc.assert(
    fc.property(skew, fc.array(fc.boolean(), { minLength: 1, maxLength: 200 }), (ahead, looks) => {
      let time = NOW;
      let clock: KeptClock = { mark: NOW + ahead, seen: NOW + ahead, aheadSince: null };
      for (const isAhead of looks) {
        time += HOUR / 4;
        clock = observeClock(clock, evidence(isAhead ? time + ahead : time)).clock;
      }
      expect(clock.mark).toBeLessThanOrEqual(time + ahead);
      expect(clock.mark).toBeGreaterThanOrEqual(time);
    }),
  );
});

describe('a clock that was set forward by mistake', () => {
  test('costs at most a jump if it is put right before it is believed', () => {
    const far = fc.integer({ min: MAX_JUMP_MS + 1, max: 3_650 * DAY });
    const hours = fc.integer({ min: 1, max: CONFIRMED_AFTER_MS / HOUR - 1 });
    fc.assert(
      fc.property(far, hours, (ahead, wrong) => {
        const spoiled = seenAt(START, [NOW + ahead, ...hourly(NOW + ahead, wrong)]);
        const right = NOW + (wrong + 1) * HOUR;
        const { clock, change } = observeClock(spoiled, evidence(right));
        expect(change).toBe('set_back');
        expect(clock.mark - right).toBeLessThanOrEqual(MAX_JUMP_MS);
        // It runs on at the right speed, and stays that much ahead.
        const later = seenAt(clock, hourly(right, 1_000));
        expect(later.mark - (right + 1_000 * HOUR)).toBe(clock.mark - right);
        expect(clockState(later)).toBe('behind');
      }),
    );
  });

  test('is told when it jumps, and once when it is believed', () => {
    const jumped = NOW + 100 * DAY;
    const changes: (string | null)[] = [];
    let clock = START;
    for (const time of [jumped, ...hourly(jumped, 100)]) {
      const seen = observeClock(clock, evidence(time));
      changes.push(seen.change);
      clock = seen.clock;
    }
    expect(changes.filter((change) => change !== null)).toEqual(['ahead', 'ahead_believed']);
    expect(changes.indexOf('ahead_believed')).toBe(CONFIRMED_AFTER_MS / HOUR);
    expect(clock).toMatchObject({ mark: jumped + 100 * HOUR, aheadSince: null });
  });

  test('leaves nothing behind after a token that proves the time', () => {
    const believed = seenAt(START, [NOW + 400 * DAY, ...hourly(NOW + 400 * DAY, 80)]);
    expect(believed.mark).toBeGreaterThan(NOW + 400 * DAY);
    const put = anchoredClock(NOW + 4 * DAY, NOW + 4 * DAY + 2_000);
    const { clock, change } = observeClock(put, evidence(NOW + 4 * DAY + HOUR));
    expect({ mark: clock.mark, change }).toEqual({
      mark: NOW + 4 * DAY + HOUR - 2_000 + 2_000,
      change: null,
    });
  });

  test('is not believed at once by a token that proves another time', () => {
    const clock = anchoredClock(NOW, NOW + 400 * DAY);
    expect(observeClock(clock, evidence(NOW + 400 * DAY)).clock.mark).toBe(NOW);
  });
});

test('a service that was off for months counts them after three days', () => {
  const back = NOW + 90 * DAY;
  const first = observeClock(START, evidence(back)).clock;
  expect([first.mark, clockState(first)]).toEqual([NOW + MAX_JUMP_MS, 'ahead']);
  expect(seenAt(first, hourly(back, 73)).mark).toBe(back + 73 * HOUR);
});
