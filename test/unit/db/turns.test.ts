import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CLAIMS, type Claim, Turns } from '../../../core/db/turns.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Takes a turn and says what came of it, and after how long. */
function taking(turns: Turns, claim: Claim) {
  const since = Date.now();
  const outcome = { is: 'waiting', afterMs: 0 };
  const ended = (is: string) => {
    outcome.is = is;
    outcome.afterMs = Date.now() - since;
  };
  void turns.take(claim).then(
    () => ended('taken'),
    (error: { code: string }) => ended(error.code),
  );
  return outcome;
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test('a decision goes before the lists that came before it', async () => {
  const turns = new Turns(2);
  await turns.take(CLAIMS.decision);
  await turns.take(CLAIMS.decision);
  const list = taking(turns, CLAIMS.list);
  const decision = taking(turns, CLAIMS.decision);
  turns.give(CLAIMS.decision);
  await settle();
  expect([list.is, decision.is]).toEqual(['waiting', 'taken']);
  turns.give(CLAIMS.decision);
  await settle();
  expect(list.is).toBe('taken');
});

test('neither lists nor workers hold the last connection', async () => {
  for (const [many, other] of [
    [CLAIMS.list, CLAIMS.background],
    [CLAIMS.background, CLAIMS.list],
  ] as const) {
    const turns = new Turns(3);
    const taken = [many, many, many].map((claim) => taking(turns, claim));
    await settle();
    expect(taken.map(({ is }) => is)).toEqual(['taken', 'taken', 'waiting']);
    const another = taking(turns, other);
    await settle();
    expect(another.is).toBe('taken');
  }
});

test('whoever would wait behind too many is refused at once', async () => {
  const turns = new Turns(1);
  await turns.take(CLAIMS.list);
  const waiting = Array.from({ length: CLAIMS.list.mostWaiting }, () => taking(turns, CLAIMS.list));
  const last = taking(turns, CLAIMS.list);
  await settle();
  expect(new Set(waiting.map(({ is }) => is))).toEqual(new Set(['waiting']));
  expect(last.is).toBe('overloaded');
});

test('no more turns are held than there are, and nobody waits beyond their claim', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(
        fc.oneof(
          fc.constantFrom<Claim[]>(CLAIMS.decision, CLAIMS.list, CLAIMS.export, CLAIMS.background),
          fc.constant('give' as const),
          fc.integer({ min: 1, max: 3_000 }),
        ),
        { maxLength: 60 },
      ),
      async (max, steps) => {
        const turns = new Turns(max);
        const all: { claim: Claim; outcome: ReturnType<typeof taking>; given: boolean }[] = [];
        const held = () => all.filter(({ outcome, given }) => outcome.is === 'taken' && !given);
        for (const step of steps) {
          if (step === 'give') {
            const [one] = held();
            if (one !== undefined) {
              one.given = true;
              turns.give(one.claim);
            }
          } else if (typeof step === 'number') await vi.advanceTimersByTimeAsync(step);
          else all.push({ claim: step, outcome: taking(turns, step), given: false });
          await settle();
          expect(held().length).toBeLessThanOrEqual(max);
        }
        await vi.advanceTimersByTimeAsync(30_000);
        for (const { claim, outcome } of all) {
          expect(outcome.is).not.toBe('waiting');
          expect(outcome.afterMs).toBeLessThanOrEqual(claim.waitMs);
        }
      },
    ),
  ));
