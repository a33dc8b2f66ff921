import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CallPriority, Permit } from '../../../core/connectors/m365/call-budget.ts';
import { type BudgetState, firstBudget, nextBudget } from '../../../core/integrations/budget-state.ts';
import { type ReportCalls, SharedBudget } from '../../../core/integrations/shared-budget.ts';
import { throttledSource } from '../../support/throttled-source.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;
/** Far from the clock of the processes, as that of a database is. */
const OFFSET_MS = 1e12;

function shared() {
  const told = { reports: 0, failures: 0, isAway: false };
  let state: BudgetState = firstBudget(OFFSET_MS);
  const report: ReportCalls = async (each) => {
    if (told.isAway) throw new Error('away');
    told.reports++;
    const now = OFFSET_MS + performance.now();
    state = nextBudget(state, each, now);
    return { state, now };
  };
  const make = (name: string) => new SharedBudget(name, report, () => told.failures++);
  return { told, make, state: () => state };
}

/** Enters, and notes the permit when it is there. */
function entering(budget: SharedBudget, count: number, priority: CallPriority = 'background') {
  const permits: Permit[] = [];
  const failures: unknown[] = [];
  for (let n = 0; n < count; n++)
    budget.enter(priority, never).then(
      (permit) => permits.push(permit),
      (error: unknown) => failures.push(error),
    );
  return { permits, failures };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const leaveAll = (permits: Permit[]) => {
  for (const permit of permits.splice(0)) permit.leave({ kind: 'answered' });
};

test('calls wait for a place, and enter in order when others leave', async () => {
  const { make } = shared();
  const budget = make('a');
  const first = entering(budget, 6);
  await pass(0);
  expect(first.permits).toHaveLength(4);
  first.permits.shift()?.leave({ kind: 'answered' });
  await pass(0);
  expect(first.permits).toHaveLength(4);
});

test('two processes share the limit, and one has all of it when the other is gone', async () => {
  const { make } = shared();
  const [a, b] = [make('a'), make('b')];
  const held = entering(a, 1);
  await pass(0);
  leaveAll(held.permits);
  const other = entering(b, 9);
  await pass(0);
  expect(other.permits).toHaveLength(2);
  await pass(20_000);
  expect(other.permits.length).toBe(9);
});

test('a pause is heard by the other process within about a second', async () => {
  const { make, state } = shared();
  const [a, b] = [make('a'), make('b')];
  const mine = entering(a, 1);
  const theirs = entering(b, 1);
  await pass(10);
  mine.permits[0]?.leave({ kind: 'throttled', retryAfterMs: 20_000 });
  await pass(1_100);
  expect(state().pausedUntil - OFFSET_MS - performance.now()).toBeGreaterThan(18_000);
  leaveAll(theirs.permits);
  const late = entering(b, 1);
  await pass(18_000);
  expect(late.permits).toHaveLength(0);
  await pass(1_500);
  expect(late.permits).toHaveLength(1);
});

test('a pause of more than 30 s refuses all calls, with its rest', async () => {
  const { make } = shared();
  const budget = make('a');
  const first = entering(budget, 5);
  await pass(0);
  first.permits[0]?.leave({ kind: 'throttled', retryAfterMs: 120_000 });
  await pass(0);
  const refused = { retryClass: 'throttled', safeDiagnostic: 'throttled_retries_exhausted' };
  expect(first.failures).toMatchObject([{ ...refused, retryAfterMs: 120_000 }]);
  await pass(60_000);
  const later = entering(budget, 1);
  await pass(0);
  expect(later.failures).toMatchObject([refused]);
  expect((later.failures[0] as { retryAfterMs: number }).retryAfterMs).toBeCloseTo(60_000, -2);
  await pass(40_000);
  expect(entering(budget, 1).failures).toHaveLength(0);
});

test('interactive calls pass those of a scan, two of them beside the share', async () => {
  const { make } = shared();
  const budget = make('a');
  const scan = entering(budget, 50);
  await pass(0);
  const people = entering(budget, 3, 'interactive');
  await pass(0);
  expect([scan.permits.length, people.permits.length]).toEqual([4, 2]);
  for (const permit of scan.permits.splice(0, 3)) permit.leave({ kind: 'answered' });
  await pass(2);
  expect(people.permits).toHaveLength(3);
});

test('an interactive call waits in a pause like any other', async () => {
  const { make } = shared();
  const budget = make('a');
  const first = entering(budget, 1);
  await pass(0);
  first.permits[0]?.leave({ kind: 'throttled', retryAfterMs: 5_000 });
  const person = entering(budget, 1, 'interactive');
  await pass(4_900);
  expect(person.permits).toHaveLength(0);
  await pass(200);
  expect(person.permits).toHaveLength(1);
});

test('a caller whose signal fires leaves the queue, and takes no place', async () => {
  const { make } = shared();
  const budget = make('a');
  const held = entering(budget, 4);
  await pass(0);
  const stop = new AbortController();
  const gone = budget.enter('background', stop.signal).catch((error: unknown) => error);
  const next = entering(budget, 1);
  await pass(0);
  stop.abort();
  expect(await gone).toMatchObject({ safeDiagnostic: 'aborted' });
  held.permits[0]?.leave({ kind: 'answered' });
  await pass(2);
  expect(next.permits).toHaveLength(1);
});

test('while reports fail the last state holds, and a refusal is told later', async () => {
  const { make, told, state } = shared();
  const budget = make('a');
  const first = entering(budget, 2);
  await pass(0);
  told.isAway = true;
  first.permits[0]?.leave({ kind: 'throttled', retryAfterMs: 3_000 });
  await pass(2_000);
  expect(told.failures).toBeGreaterThan(0);
  expect(state().epoch).toBe(0);
  const waits = entering(budget, 1);
  await pass(500);
  expect(waits.permits).toHaveLength(0);
  told.isAway = false;
  await pass(5_000);
  expect([state().epoch, waits.permits.length]).toEqual([1, 1]);
});

test('a process that does not call does not report', async () => {
  const { make, told } = shared();
  const budget = make('a');
  const once = entering(budget, 1);
  await pass(10_000);
  expect(told.reports).toBeLessThanOrEqual(11);
  leaveAll(once.permits);
  await pass(3_000);
  const { reports } = told;
  await pass(600_000);
  expect(told.reports).toBe(reports);
  expect(vi.getTimerCount()).toBe(0);
});

test('two processes use 85 % of a fixed rate with < 2 % refused and a report a second', async () => {
  const source = { rate: 25, burst: 25, latencyMs: 80, retryAfterMs: 2_000 };
  const allows = throttledSource(source);
  const { make, told } = shared();
  const seconds = 180;
  let [accepted, refused] = [0, 0];
  const call = async (budget: SharedBudget): Promise<void> => {
    const permit = await budget.enter('background', never);
    await new Promise((resolve) => setTimeout(resolve, source.latencyMs));
    const isAllowed = allows(performance.now() - began);
    if (performance.now() - began > 60_000) isAllowed ? accepted++ : refused++;
    permit.leave(isAllowed ? { kind: 'answered' } : { kind: 'throttled', retryAfterMs: 2_000 });
    return call(budget);
  };
  const began = performance.now();
  for (const name of ['a', 'b']) {
    const budget = make(name);
    for (let n = 0; n < 8; n++) void call(budget);
  }
  await pass(seconds * 1_000);
  expect(accepted / (source.rate * (seconds - 60))).toBeGreaterThanOrEqual(0.85);
  expect(refused / (accepted + refused)).toBeLessThan(0.02);
  expect(told.reports).toBeLessThan(2 * seconds * 1.2);
});
