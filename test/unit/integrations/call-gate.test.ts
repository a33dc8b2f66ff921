import { expect, test } from 'vitest';
import { CallGate } from '../../../core/integrations/call-gate.ts';

/** Calls of one length by somebody who always wants more. Returns how many were under way at once, as a mean. */
function busy(share: number, callMs: number, forMs: number): number {
  const gate = new CallGate(share, 0);
  const ends: number[] = [];
  for (let now = 0; now < forMs; now++) {
    for (const end of ends.filter((end) => end === now)) {
      gate.leave(now);
      ends.splice(ends.indexOf(end), 1);
    }
    while (gate.waitMs(now) === 0) {
      gate.enter(now);
      ends.push(now + callMs);
    }
  }
  return gate.takeUsed(forMs);
}

test.each([
  [0.05, 40],
  [0.5, 100],
  [1, 100],
  [2.5, 70],
  [7.3, 30],
])('a share of %s is used, no more, by calls of %s ms', (share, callMs) => {
  const used = busy(share, callMs, 120_000);
  expect(used).toBeGreaterThan(share * 0.95);
  expect(used).toBeLessThan(share * 1.01);
});

test('a fraction is a rest after each call, which a larger share shortens', () => {
  const gate = new CallGate(0.25, 0);
  gate.enter(0);
  expect(gate.waitMs(100)).toBe(Number.POSITIVE_INFINITY);
  gate.leave(100);
  expect(gate.waitMs(100)).toBeCloseTo(300);
  gate.set(0.5, 0, 200);
  expect(gate.waitMs(200)).toBeCloseTo(100);
});

test('a quiet time is not saved up for a burst', () => {
  const gate = new CallGate(2, 0);
  let entered = 0;
  for (; gate.waitMs(60_000) === 0; entered++) gate.enter(60_000);
  expect(entered).toBe(2);
});

test('a long call is not followed by a rest of many times its length', () => {
  const gate = new CallGate(0.1, 0);
  gate.enter(0);
  gate.leave(600_000);
  expect(gate.waitMs(600_000)).toBeCloseTo(30_000);
});

test('nobody enters in a pause, and the longer of two holds', () => {
  const gate = new CallGate(4, 0);
  gate.pauseUntil(500);
  gate.set(4, 300, 100);
  expect([gate.pauseMs(100), gate.waitMs(100), gate.waitMs(500)]).toEqual([400, 400, 0]);
});

test('a clock that stands still or goes back does no harm', () => {
  const gate = new CallGate(1, 1_000);
  gate.enter(1_000);
  gate.leave(900);
  expect(gate.waitMs(1_000)).toBe(0);
  expect(gate.takeUsed(1_000)).toBe(0);
});
