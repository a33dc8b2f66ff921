import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CallPriority, Permit } from '../../../core/connectors/cloud-http/call-gate.ts';
import { CallPace, type SharedPause } from '../../../core/integrations/call-pace.ts';
import { type ThrottledSource, throttledSource } from '../../support/throttled-source.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Processes that share a pause. While the database is away, they share nothing. */
function deployment() {
  const seen = { reads: 0, failures: 0, isAway: false };
  let until = 0;
  const shared: SharedPause = {
    leftMs: async () => {
      if (seen.isAway) throw new Error('away');
      seen.reads++;
      return Math.max(0, until - performance.now());
    },
    extend: async (ms) => {
      if (seen.isAway) throw new Error('away');
      until = Math.max(until, performance.now() + ms);
    },
  };
  return { seen, make: (most?: number) => new CallPace(shared, () => seen.failures++, most) };
}

/** Enters, and notes the permit when it is there. */
function entering(pace: CallPace, count: number, priority: CallPriority = 'background') {
  const permits: Permit[] = [];
  const failures: unknown[] = [];
  for (let n = 0; n < count; n++)
    pace.enter(priority, never).then(
      (permit) => permits.push(permit),
      (error: unknown) => failures.push(error),
    );
  return { permits, failures };
}
const throttle = ({ permits }: { permits: Permit[] }, retryAfterMs: number | null) =>
  permits.shift()?.leave({ kind: 'throttled', retryAfterMs });
/** Calls in so many seconds, while others always wait. */
async function callsIn(pace: CallPace, seconds: number): Promise<number> {
  const stop = new AbortController();
  let calls = 0;
  for (let n = 0; n < 8; n++) {
    const callOn = (): Promise<void> =>
      pace.enter('background', stop.signal).then(() => {
        calls++;
        return callOn();
      });
    callOn().catch(() => undefined);
  }
  await pass(seconds * 1_000);
  stop.abort();
  await pass(1_000);
  return calls;
}

test('the first calls keep a pace of 20 a second, which doubles each second', async () => {
  const { permits } = entering(deployment().make(), 200);
  await pass(500);
  expect(permits.length).toBeGreaterThan(8);
  expect(permits.length).toBeLessThan(18);
  await pass(2_500);
  expect(permits.length).toBeGreaterThan(130);
});

test.each([16, 200])('the pace stays within the %i a second that a source allows', async (most) => {
  const pace = deployment().make(most);
  await callsIn(pace, 20);
  expect(Math.abs((await callsIn(pace, 10)) - most * 10)).toBeLessThan(most * 0.5);
});

test('a refusal pauses all processes: the others know of it within a second', async () => {
  const { make } = deployment();
  const [a, b] = [make(), make()];
  const mine = entering(a, 1);
  entering(b, 1);
  await pass(10);
  throttle(mine, 20_000);
  await pass(1_100);
  const theirs = entering(b, 1);
  const others = entering(a, 1);
  await pass(18_000);
  expect([theirs.permits.length, others.permits.length]).toEqual([0, 0]);
  await pass(1_000);
  expect([theirs.permits.length, others.permits.length]).toEqual([1, 1]);
});

async function refuse(pace: CallPace, refusals = 1): Promise<void> {
  const calls = entering(pace, refusals, 'interactive');
  await pass(0);
  for (let n = 0; n < refusals; n++) throttle(calls, 1_000);
  await pass(1_000);
}

test('the pace falls once for calls that were under way together', async () => {
  const pace = deployment().make();
  await refuse(pace, 3);
  expect(await callsIn(pace, 10)).toBeCloseTo(100, -1);
});

test('the pace halves if refused soon after a pause, later it falls to 85 %', async () => {
  const pace = deployment().make();
  await refuse(pace);
  await refuse(pace);
  expect(await callsIn(pace, 10)).toBeCloseTo(50, -1);
  await refuse(pace);
  expect(await callsIn(pace, 10)).toBeCloseTo(43, -1);
});

test('the pace grows to what it was in a minute of calls that wait', async () => {
  const pace = deployment().make();
  await refuse(pace);
  await callsIn(pace, 1);
  await pass(600_000);
  expect(await callsIn(pace, 10)).toBeCloseTo(100, -1);
  await callsIn(pace, 50);
  // By 15 % of the former pace, in each minute.
  expect(await callsIn(pace, 10)).toBeCloseTo(117, -1);
});

test('a pause without a named length is two seconds', async () => {
  const pace = deployment().make();
  const first = entering(pace, 1);
  await pass(0);
  throttle(first, null);
  const next = entering(pace, 1);
  await pass(1_900);
  expect(next.permits).toHaveLength(0);
  await pass(200);
  expect(next.permits).toHaveLength(1);
});

test('a pause is at most an hour, whatever an answer names', async () => {
  const pace = deployment().make();
  const first = entering(pace, 1);
  await pass(0);
  throttle(first, 1e12);
  await pass(3_599_000);
  const next = entering(pace, 1);
  await pass(1_100);
  expect(next.permits).toHaveLength(1);
});

test('a pause of more than 30 s refuses all calls, with its rest', async () => {
  const pace = deployment().make();
  const first = entering(pace, 1);
  await pass(0);
  const waiting = entering(pace, 1);
  throttle(first, 120_000);
  await pass(0);
  const refused = { retryClass: 'throttled', safeDiagnostic: 'throttled_retries_exhausted' };
  expect(waiting.failures).toMatchObject([{ ...refused, retryAfterMs: 120_000 }]);
  await pass(60_000);
  const later = entering(pace, 1);
  await pass(0);
  expect(later.failures).toMatchObject([refused]);
  expect((later.failures[0] as { retryAfterMs: number }).retryAfterMs).toBeCloseTo(60_000, -2);
  await pass(40_000);
  const last = entering(pace, 1);
  await pass(20_100);
  expect([last.failures.length, last.permits.length]).toEqual([0, 1]);
});

test('a person waits for no pace, but for a pause', async () => {
  const pace = deployment().make();
  const scan = entering(pace, 50);
  await pass(10);
  const people = entering(pace, 3, 'interactive');
  await pass(0);
  expect(people.permits).toHaveLength(3);
  expect(scan.permits.length).toBeLessThan(5);
  throttle(people, 5_000);
  const late = entering(pace, 1, 'interactive');
  await pass(4_900);
  expect(late.permits).toHaveLength(0);
  await pass(200);
  expect(late.permits).toHaveLength(1);
});

test('a caller whose signal fires leaves the queue, and no timer stays', async () => {
  const pace = deployment().make();
  entering(pace, 2);
  await pass(0);
  const stop = new AbortController();
  const gone = pace.enter('background', stop.signal).catch((error: unknown) => error);
  const next = entering(pace, 1);
  await pass(0);
  stop.abort();
  expect(await gone).toMatchObject({ safeDiagnostic: 'aborted' });
  await pass(110);
  expect(next.permits).toHaveLength(1);
  await pass(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('while the database is away, a process keeps its own pause', async () => {
  const { make, seen } = deployment();
  const pace = make();
  seen.isAway = true;
  const first = entering(pace, 1);
  await pass(0);
  throttle(first, 3_000);
  await pass(1_500);
  const next = entering(pace, 1);
  await pass(1_400);
  expect([seen.failures, next.permits.length]).toEqual([3, 0]);
  await pass(200);
  expect(next.permits).toHaveLength(1);
});

type Tally = { used: number; refused: number; reads: number };

/** Processes that always want to call, after a first time in which they learn. */
async function calling(
  source: ThrottledSource,
  { processes, seconds }: { processes: number; seconds: number },
): Promise<Tally> {
  const allows = throttledSource(source);
  const { make, seen } = deployment();
  const began = performance.now();
  const counted = seconds - 100;
  let [accepted, refused] = [0, 0];
  let isOver = false;
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const call = async (pace: CallPace): Promise<void> => {
    if (isOver) return;
    const permit = await pace.enter('background', never);
    await sleep(source.latencyMs);
    const now = performance.now() - began;
    const isAllowed = allows(now);
    if (now > (seconds - counted) * 1_000) isAllowed ? accepted++ : refused++;
    const { retryAfterMs } = source;
    permit.leave(isAllowed ? { kind: 'answered' } : { kind: 'throttled', retryAfterMs });
    return call(pace);
  };
  for (let n = 0; n < processes; n++) {
    const pace = make();
    for (let caller = 0; caller < 8; caller++) void call(pace);
  }
  await pass(seconds * 1_000);
  isOver = true;
  await pass(60_000);
  return {
    used: accepted / (source.rate * counted),
    refused: refused / (accepted + refused),
    reads: seen.reads,
  };
}

test.each(
  [null, 1_000, 5_000, 10_000].flatMap((retryAfterMs) =>
    [
      { processes: 1, rate: 20 },
      { processes: 2, rate: 40 },
      { processes: 4, rate: 5 },
    ].map((each) => ({ retryAfterMs, ...each })),
  ),
)(
  '85 % used, < 2 % refused: wait $retryAfterMs, $processes processes, rate $rate',
  async ({ retryAfterMs, processes, rate }) => {
    const tally = await calling(
      { rate, burst: rate, latencyMs: 80, retryAfterMs },
      { processes, seconds: 400 },
    );
    expect.soft(tally.used).toBeGreaterThanOrEqual(0.85);
    expect.soft(tally.refused).toBeLessThan(0.02);
    expect.soft(tally.reads).toBeLessThanOrEqual(processes * 460);
  },
);
