import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CallFailure, nextTry as nextTryOf } from '../../../../core/connectors/cloud-http/retry.ts';
import { GRAPH_RETRIES } from '../../../../core/connectors/m365/graph-rules.ts';
import { safeDiagnostic } from '../../../../core/kernel/safe-text.ts';
import { CALL_FAILURES, GRAPH_CALLS, type GraphCall } from '../../../../core/kernel/vocabulary.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const nextTry = (
  call: GraphCall,
  failure: CallFailure,
  at: { tried: number; once: boolean; random: number },
) => nextTryOf(GRAPH_RETRIES, call, failure, at);
const throttled = (status: 429 | 503, retryAfterMs: number | null): CallFailure => ({
  kind: 'status',
  status,
  retryAfterMs,
});
const at = (tried: number, once = false) => ({ tried, once, random: 1 });

test.each([429, 503] as const)('after %s the named wait is kept, for five tries in all', (status) => {
  for (const tried of [1, 2, 3, 4])
    expect(nextTry('delta', throttled(status, 7_000), at(tried))).toEqual({ kind: 'again', afterMs: 7_000 });
  expect(nextTry('delta', throttled(status, 7_000), at(5))).toMatchObject({
    kind: 'failed',
    error: { retryClass: 'throttled', safeDiagnostic: 'throttled_retries_exhausted', retryAfterMs: 7_000 },
  });
});

test('a wait of 30 s is slept, a longer one is left to the work unit', () => {
  expect(nextTry('item', throttled(429, 30_000), at(1))).toEqual({ kind: 'again', afterMs: 30_000 });
  expect(nextTry('item', throttled(429, 120_000), at(1))).toMatchObject({
    kind: 'failed',
    error: { retryClass: 'throttled', retryAfterMs: 120_000 },
  });
});

test('without a named wait each is twice the one before', () => {
  const waits = [1, 2, 3, 4].map((tried) => nextTry('item', throttled(429, null), at(tried)));
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000].map((afterMs) => ({ kind: 'again', afterMs })));
  expect(nextTry('item', throttled(429, null), at(5))).toMatchObject({ error: { retryAfterMs: null } });
});

test('a call that must not be made twice is repeated only if it was refused', () => {
  expect(nextTry('label_assign', throttled(429, 1_000), at(1, true))).toMatchObject({ kind: 'again' });
  for (const failure of [
    { kind: 'status', status: 502, retryAfterMs: null },
    { kind: 'no_answer', reason: 'unreachable' },
  ] as const) {
    expect(nextTry('label_assign', failure, at(1, true))).toMatchObject({ kind: 'failed' });
    expect(nextTry('item', failure, at(1))).toMatchObject({ kind: 'again' });
    expect(nextTry('item', failure, at(3))).toMatchObject({
      kind: 'failed',
      error: { retryClass: 'transient' },
    });
  }
});

test.each([
  [400, 'permanent'],
  [401, 'auth'],
  [403, 'auth'],
  [404, 'permanent'],
  [409, 'transient'],
  [410, 'permanent'],
  [423, 'permanent'],
] as const)('%s is not repeated and is %s', (status, retryClass) => {
  expect(nextTry('item', { kind: 'status', status, retryAfterMs: null }, at(1))).toMatchObject({
    kind: 'failed',
    error: { retryClass, safeDiagnostic: `graph_item_${status}` },
  });
});

test('no sleep is longer than 30 s, no try is a sixth, and each diagnostic is safe', () => {
  const failure = fc.oneof(
    fc.record({
      kind: fc.constant('status' as const),
      status: fc.integer({ min: 100, max: 599 }),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 1e9 })),
    }),
    fc.record({ kind: fc.constant('no_answer' as const), reason: fc.constantFrom(...CALL_FAILURES) }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...GRAPH_CALLS),
      failure,
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (call, each, tried, once, random) => {
        const next = nextTry(call, each, { tried, once, random });
        if (next.kind === 'failed')
          expect(safeDiagnostic(next.error.safeDiagnostic)).toBe(next.error.safeDiagnostic);
        else {
          expect(tried).toBeLessThan(5);
          expect(next.afterMs).toBeLessThanOrEqual(30_000);
        }
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});
