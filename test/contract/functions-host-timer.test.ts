import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nextOccurrence, parseSchedule } from '../../infra/local/functions-host/schedule.ts';
import { followsSchedule, isTooFrequentToMonitor } from '../../infra/local/functions-host/timer-trigger.ts';
import { type FunctionsHostOptions, startFunctionsHost } from '../../infra/local/functions-host.ts';
import { gate, gates, recorded } from '../support/functions-host/recorded.ts';

const next = (schedule: string, after: string) => {
  const at = nextOccurrence(parseSchedule(schedule), Date.parse(after));
  return at === undefined ? undefined : new Date(at).toISOString().replace('.000Z', 'Z');
};

describe('nextOccurrence', () => {
  it.each([
    ['* * * * * *', '2026-01-01T00:00:00.500Z', '2026-01-01T00:00:01Z'],
    ['0 */5 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:05:00Z'],
    ['0 */5 * * * *', '2026-01-01T00:57:30Z', '2026-01-01T01:00:00Z'],
    ['30 15 6 * * *', '2026-12-31T07:00:00Z', '2027-01-01T06:15:30Z'],
    ['0 30 9 * Jan Mon', '2026-01-31T00:00:00Z', '2027-01-04T09:30:00Z'],
    ['0 0 0 * * monday-FRI', '2026-08-01T00:00:00Z', '2026-08-03T00:00:00Z'],
    ['0 0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 0 0 29 2 0', '2026-01-01T00:00:00Z', '2032-02-29T00:00:00Z'],
    ['0 0 0 13 * 5', '2026-01-01T00:00:00Z', '2026-02-13T00:00:00Z'],
    ['0 0 22-2 * * *', '2026-01-01T03:00:00Z', '2026-01-01T04:00:00Z'],
    ['5,10,5 0 0 1 1 *', '2026-01-01T00:00:05Z', '2026-01-01T00:00:10Z'],
    ['0 0 8/4 * * *', '2026-01-01T08:00:00Z', '2026-01-01T12:00:00Z'],
    ['0 0 0-10/4 * * *', '2026-01-01T08:00:00Z', '2026-01-02T00:00:00Z'],
    ['15 * * * *', '2026-01-01T00:15:00Z', '2026-01-01T01:15:00Z'],
    ['00:00:30', '2026-01-01T00:00:00.250Z', '2026-01-01T00:00:30.250Z'],
    ['1.00:00:00', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ])('%s after %s is %s', (schedule, after, expected) => {
    expect(next(schedule, after)).toBe(expected);
  });

  it.each([
    '',
    '* * * *',
    '* * * * * * *',
    '60 * * * * *',
    '* 60 * * * *',
    '* * 24 * * *',
    '* * * 0 * *',
    '* * * * 13 *',
    '* * * * * 7',
    '* * * * * Mo',
    '* * * * Foo *',
    '*/0 * * * * *',
    '*/ * * * * *',
    '1- * * * * *',
    '-1 * * * * *',
    '1-2-3 * * * * *',
    '1,, * * * * *',
    '? * * * * *',
    '0 0 0 30 2 *',
    '00:00:00',
  ])('refuses %j', (schedule) => {
    expect(() => parseSchedule(schedule)).toThrow();
  });

  const field = (min: number, max: number) => {
    const value = fc.integer({ min, max });
    const item = fc.oneof(
      fc.constant('*'),
      value.map(String),
      fc.tuple(value, value).map((pair) => pair.sort((a, b) => a - b).join('-')),
      fc.integer({ min: 1, max: 70 }).map((step) => `*/${step}`),
      fc.tuple(value, fc.integer({ min: 1, max: 9 })).map((pair) => pair.join('/')),
    );
    return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(','));
  };
  const cron = fc
    .tuple(field(0, 59), field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6))
    .map((fields) => fields.join(' '));
  const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2099, 11) });

  /** An independent reading of one field: does `value` satisfy it? */
  const satisfies = (text: string, value: number, max: number) =>
    text.split(',').some((item) => {
      const [range = '', step] = item.split('/');
      const [from = Number.NaN, to] = range.split('-').map(Number);
      const low = range === '*' ? undefined : from;
      const high = range === '*' ? max : (to ?? (step === undefined ? from : max));
      const start = low ?? (max === 31 || max === 12 ? 1 : 0);
      return value >= start && value <= high && (value - start) % Number(step ?? 1) === 0;
    });
  const matches = (schedule: string, at: number) => {
    const date = new Date(at);
    const values = [
      [date.getUTCSeconds(), 59],
      [date.getUTCMinutes(), 59],
      [date.getUTCHours(), 23],
      [date.getUTCDate(), 31],
      [date.getUTCMonth() + 1, 12],
      [date.getUTCDay(), 6],
    ] as const;
    return schedule.split(' ').every((text, index) => {
      const [value, max] = values[index] ?? [0, 0];
      return satisfies(text, value, max);
    });
  };

  it('is later, on a whole second, and satisfies every field', () => {
    fc.assert(
      fc.property(cron, instant, (schedule, after) => {
        const at = nextOccurrence(parseSchedule(schedule), after) ?? Number.NaN;
        expect(at).toBeGreaterThan(after);
        expect(at % 1000).toBe(0);
        expect(matches(schedule, at)).toBe(true);
      }),
    );
  });

  it('skips nothing: the minutes before it hold no occurrence', () => {
    fc.assert(
      fc.property(cron, instant, (schedule, after) => {
        const at = nextOccurrence(parseSchedule(schedule), after) ?? Number.NaN;
        const before = Array.from({ length: 200 }, (_, index) => at - 1000 * (index + 1));
        expect(before.filter((moment) => moment > after && matches(schedule, moment))).toEqual([]);
      }),
    );
  });

  it('is the same from any moment before it', () => {
    fc.assert(
      fc.property(cron, instant, fc.double({ min: 0, max: 1, noNaN: true }), (schedule, after, share) => {
        const parsed = parseSchedule(schedule);
        const at = nextOccurrence(parsed, after) ?? Number.NaN;
        const between = Math.floor(after + (at - 1 - after) * share);
        expect(nextOccurrence(parsed, between)).toBe(at);
      }),
    );
  });
});

describe('schedule status', () => {
  it.each([
    ['*/10 * * * * *', true],
    ['0 * * * * *', false],
    ['*/10 */5 * * * *', false],
    ['00:00:59', true],
    ['00:01:00', false],
  ])('%s is too frequent to monitor: %s', (schedule, expected) => {
    expect(isTooFrequentToMonitor(parseSchedule(schedule))).toBe(expected);
  });

  it('belongs to a schedule when its next occurrence follows from the last', () => {
    const status = {
      Last: '2026-01-01T10:00:00.000Z',
      Next: '2026-01-01T11:00:00.000Z',
      LastUpdated: '2026-01-01T10:00:00.000Z',
    };
    expect(followsSchedule(parseSchedule('0 0 * * * *'), status)).toBe(true);
    expect(followsSchedule(parseSchedule('0 30 * * * *'), status)).toBe(false);
    const never = { ...status, Last: '0001-01-01T00:00:00.000Z' };
    expect(followsSchedule(parseSchedule('0 0 * * * *'), never)).toBe(true);
  });
});

describe('timer triggers', () => {
  let folder: string;
  const options = (): FunctionsHostOptions => ({
    root: new URL('../support/functions-host', import.meta.url).pathname,
    main: 'timer-functions.ts',
    hostJson: { version: '2.0', functionTimeout: '05:00:00' },
    settings: { FIXTURE_SCHEDULE: '00:20:00' },
    timerStateFolder: folder,
  });
  /** The schedule status is kept in real files: waits until their access has ended, however busy the machine is. */
  const filesAtRest = async () => {
    for (let idleTurns = 0; idleTurns < 4; ) {
      await new Promise((resolve) => setImmediate(resolve));
      const busy = process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'));
      idleTurns = busy ? 0 : idleTurns + 1;
    }
  };
  const advance = async (ms: number, step = ms) => {
    for (let passed = 0; passed < ms; passed += step) {
      await vi.advanceTimersByTimeAsync(step);
      await filesAtRest();
    }
  };
  const runsOf = (name: string) => recorded.timers.filter((run) => run.name === name);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'functions-host-'));
    recorded.timers.length = 0;
    gates.clear();
    vi.useFakeTimers({
      now: Date.parse('2026-01-01T10:30:00Z'),
      toFake: ['setTimeout', 'clearTimeout', 'Date'],
    });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await rm(folder, { recursive: true, force: true });
  });

  it('run on schedule, at start where asked, one at a time, and go on after a failure', async () => {
    const host = await startFunctionsHost(options());
    await advance(1000);
    expect(recorded.timers.map((run) => [run.name, run.isPastDue])).toEqual([['at-start', false]]);

    await advance(29 * 60_000, 10_000);
    expect(runsOf('every-hour')).toEqual([]);
    await advance(60_000, 10_000);
    expect(runsOf('every-hour')).toEqual([
      {
        name: 'every-hour',
        isPastDue: false,
        scheduleStatus: {
          last: '0001-01-01T00:00:00+00:00',
          next: '2026-01-01T11:00:00+00:00',
          lastUpdated: '2026-01-01T10:30:00+00:00',
        },
      },
    ]);
    await advance(15 * 60_000, 10_000);
    expect(runsOf('by-setting')).toHaveLength(2);

    expect(runsOf('slow')).toHaveLength(1);
    expect(runsOf('slow')[0]?.scheduleStatus).toBeNull();
    gate('slow').resolve();
    await advance(30_000, 1000);
    expect(runsOf('slow').length).toBeGreaterThanOrEqual(3);
    await host.close();
    const before = recorded.timers.length;
    await advance(3_600_000, 600_000);
    expect(recorded.timers).toHaveLength(before);
  });

  it('run at once, past due, when an occurrence was missed while the host was down', async () => {
    gate('slow').resolve();
    await (await startFunctionsHost(options())).close();
    vi.setSystemTime(Date.parse('2026-01-01T12:10:00Z'));
    const host = await startFunctionsHost(options());
    await advance(100);
    expect(runsOf('every-hour')).toMatchObject([
      { isPastDue: true, scheduleStatus: { next: '2026-01-01T11:00:00+00:00' } },
    ]);
    await advance(50 * 60_000, 10_000);
    expect(runsOf('every-hour').map((run) => run.isPastDue)).toEqual([true, false]);
    await host.close();

    vi.setSystemTime(Date.parse('2026-01-01T13:30:00Z'));
    recorded.timers.length = 0;
    const inTime = await startFunctionsHost(options());
    await advance(100);
    expect(runsOf('every-hour')).toEqual([]);
    await inTime.close();

    vi.setSystemTime(Date.parse('2026-01-01T16:30:00Z'));
    recorded.timers.length = 0;
    const changed = await startFunctionsHost({
      ...options(),
      settings: { FIXTURE_SCHEDULE: '0 45 * * * *' },
    });
    await advance(100);
    expect(recorded.timers.filter((run) => run.isPastDue).map((run) => run.name)).toEqual(['every-hour']);
    await changed.close();
  });
});
