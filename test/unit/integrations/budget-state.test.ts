import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BudgetReport,
  type BudgetState,
  firstBudget,
  nextBudget,
  shareOf,
} from '../../../core/integrations/budget-state.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { simulate, type Tally } from '../../support/throttled-source.ts';

const quiet = (process: string, parts: Partial<BudgetReport> = {}): BudgetReport => ({
  process,
  used: 0,
  wants: false,
  refusal: null,
  ...parts,
});
const wanting = (process: string) => quiet(process, { wants: true, used: 1 });
const refusing = (epoch: number, retryAfterMs: number | null) =>
  quiet('a', { wants: true, refusal: { epoch, retryAfterMs } });
/** After reports of one process for so many seconds. */
const reported = (seconds: number, state = firstBudget(0), report = wanting('a')) =>
  Array.from({ length: seconds }, (_, n) => n + 1).reduce(
    (last, n) => nextBudget(last, report, state.at + n * 1_000),
    state,
  );

describe('the limit', () => {
  test('doubles each second until the source asks to wait, and has an end', () => {
    expect(reported(2).limit).toBe(16);
    expect(reported(60).limit).toBe(64);
  });

  test('does not grow while nobody wants more', () => {
    expect(reported(60, firstBudget(0), quiet('a')).limit).toBe(4);
    const shrunk = nextBudget(reported(3), refusing(0, 1_000), 3_500);
    expect(reported(600, shrunk, quiet('a')).limit).toBe(shrunk.limit);
  });

  test('shrinks once for calls that were let through under the same limit', () => {
    const grown = reported(3);
    const first = nextBudget(grown, refusing(0, 2_000), 3_500);
    const second = nextBudget(first, refusing(0, 9_000), 3_600);
    expect(first.limit).toBeLessThan(grown.limit);
    expect([second.limit, second.epoch]).toEqual([first.limit, 1]);
    // The longer pause of the two holds for everybody.
    expect(second.pausedUntil).toBe(12_600);
  });

  test('shrinks the more, the sooner after a pause the source asks again', () => {
    const shrunk = (seconds: number) => {
      const before = reported(seconds, nextBudget(reported(4), refusing(0, 1_000), 4_000));
      return nextBudget(before, refusing(1, 1_000), before.at + 1).limit / before.limit;
    };
    expect(shrunk(2)).toBeLessThan(0.6);
    expect(shrunk(60)).toBeGreaterThan(0.8);
  });

  test('grows back to where it was, and later beyond', () => {
    const grown = reported(4);
    const shrunk = nextBudget(grown, refusing(0, 1_000), 4_000);
    expect(reported(65, shrunk).limit).toBeGreaterThan(grown.limit * 0.99);
    expect(reported(65, shrunk).limit).toBeLessThan(grown.limit * 1.01);
    expect(reported(400, shrunk).limit).toBe(64);
  });
});

describe('a pause', () => {
  test('without a named length gets longer while it proves too short, up to 30 s', () => {
    let state = nextBudget(reported(3), refusing(0, null), 3_000);
    const lengths: number[] = [];
    for (let n = 0; n < 8; n++) {
      lengths.push(state.pausedUntil - state.at);
      state = nextBudget(state, refusing(state.epoch, null), state.pausedUntil + 10);
    }
    expect(lengths).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('is at most an hour, whatever an answer names', () => {
    expect(nextBudget(firstBudget(0), refusing(0, 1e12), 5).pausedUntil).toBe(3_600_005);
  });
});

describe('the share of a process', () => {
  test('is an equal part, with what others leave', () => {
    const state = [wanting('a'), quiet('b', { used: 0.5 }), wanting('c')].reduce(
      (last, report) => nextBudget(last, report, 0),
      firstBudget(0),
    );
    const fair = 4 / 3;
    expect(shareOf(state, 'b')).toBeCloseTo(fair);
    expect(shareOf(state, 'a')).toBeCloseTo(fair + (fair - 0.5) / 2);
    expect(shareOf(state, 'c')).toBe(shareOf(state, 'a'));
  });

  test('grows when another process no longer reports', () => {
    const two = nextBudget(nextBudget(firstBudget(0), wanting('a'), 0), wanting('b'), 0);
    expect(shareOf(two, 'a')).toBe(2);
    const alone = nextBudget(two, wanting('a'), 5_000);
    expect(Object.keys(alone.members)).toEqual(['a']);
    expect(shareOf(alone, 'a')).toBe(alone.limit);
  });
});

test('whatever is reported, the limit stays within its bounds and no share is lost', () => {
  const report = fc.record({
    process: fc.constantFrom('a', 'b', 'c'),
    used: fc.double({ min: 0, max: 100, noNaN: true }),
    wants: fc.boolean(),
    refusal: fc.option(
      fc.record({
        epoch: fc.integer({ min: 0, max: 9 }),
        retryAfterMs: fc.option(fc.integer({ min: 0, max: 1e9 })),
      }),
    ),
    // The clock of a database can be set back.
    passed: fc.integer({ min: -5_000, max: 100_000 }),
  });
  fc.assert(
    fc.property(fc.array(report, { maxLength: 60 }), (reports) => {
      let state: BudgetState = firstBudget(1e6);
      for (const { passed, ...each } of reports) {
        const before = state;
        state = nextBudget(state, each, state.at + passed);
        expect(state.limit).toBeGreaterThanOrEqual(0.01);
        expect(state.limit).toBeLessThanOrEqual(64);
        expect(state.epoch - before.epoch).toBeLessThanOrEqual(1);
        const shares = Object.keys(state.members).map((process) => shareOf(state, process));
        expect(shares.every((share) => share > 0)).toBe(true);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(state.limit * 2);
      }
    }),
    { numRuns: propertyRuns(200) },
  );
});

describe('against a source that throttles at a fixed rate', () => {
  const sumOf = (tallies: Tally[]) =>
    tallies.reduce(
      (sum, each) => ({ accepted: sum.accepted + each.accepted, refused: sum.refused + each.refused }),
      { accepted: 0, refused: 0 },
    );
  const rates = [5, 20, 100];
  const latencies = [20, 200];
  const bursts = [1, 10];

  test.each(
    [null, 1_000, 5_000, 10_000].flatMap((retryAfterMs) =>
      [1, 2, 4].map((processes) => ({ retryAfterMs, processes })),
    ),
  )(
    '85 % are used and < 2 % refused: wait $retryAfterMs, processes $processes',
    ({ retryAfterMs, processes }) => {
      for (const rate of rates)
        for (const latencyMs of latencies)
          for (const burst of bursts) {
            const source = { rate, latencyMs, burst: rate * burst, retryAfterMs };
            const settled = sumOf(simulate(source, { processes, callers: 40, seconds: 360 }).slice(60));
            expect.soft(settled.accepted / (rate * 300), JSON.stringify(source)).toBeGreaterThanOrEqual(0.85);
            expect
              .soft(settled.refused / (settled.accepted + settled.refused), JSON.stringify(source))
              .toBeLessThan(0.02);
          }
    },
  );

  test.each([1, 2, 4])('the same after ten minutes where it names 30 s: processes %s', (processes) => {
    for (const rate of [5, 50]) {
      const source = { rate, latencyMs: 100, burst: rate, retryAfterMs: 30_000 };
      const settled = sumOf(simulate(source, { processes, callers: 40, seconds: 1_800 }).slice(600));
      expect.soft(settled.accepted / (rate * 1_200)).toBeGreaterThanOrEqual(0.85);
      expect.soft(settled.refused / (settled.accepted + settled.refused)).toBeLessThan(0.02);
    }
  });

  test('a source that allows ten times as much is used after some minutes', () => {
    const before = { rate: 4, latencyMs: 100, burst: 4, retryAfterMs: 1_000 };
    const slow = sumOf(simulate(before, { processes: 2, callers: 40, seconds: 120 }).slice(60));
    expect(slow.accepted / 60).toBeLessThanOrEqual(4.1);
    let state: BudgetState = { ...firstBudget(0), limit: 0.4 };
    state = nextBudget(state, refusing(0, 1_000), 0);
    expect(reported(300, state).limit).toBeGreaterThan(4);
  });
});
