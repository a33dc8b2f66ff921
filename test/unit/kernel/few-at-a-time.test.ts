import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fewAtATime } from '../../../core/kernel/few-at-a-time.ts';

/** Calls that end when the test says so. */
function heldCalls() {
  const calls: { one: number; end: () => void; fail: (error: Error) => void }[] = [];
  const run = (one: number) =>
    new Promise<string>((resolve, reject) => {
      calls.push({ one, end: () => resolve(`answer ${one}`), fail: reject });
    });
  return { calls, run, begun: () => calls.map(({ one }) => one) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a few at a time', () => {
  test('when one ends the next begins, though an earlier one still runs', async () => {
    const { calls, run, begun } = heldCalls();
    const answers = fewAtATime([1, 2, 3, 4, 5], run, { atOnce: 2 });
    expect(begun()).toEqual([1, 2]);
    for (const at of [1, 2, 3]) {
      calls[at]?.end();
      await settled();
    }
    expect(begun()).toEqual([1, 2, 3, 4, 5]);
    calls[4]?.end();
    calls[0]?.end();
    expect(await answers).toEqual([1, 2, 3, 4, 5].map((one) => `answer ${one}`));
  });

  test('each runs once, never more than that many, answers in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 4 })),
        fc.integer({ min: 1, max: 6 }),
        async (turns, atOnce) => {
          let running = 0;
          let most = 0;
          const answers = await fewAtATime(
            turns.entries(),
            async ([place, wait]) => {
              most = Math.max(most, ++running);
              for (let turn = 0; turn < wait; turn++) await Promise.resolve();
              running--;
              return place;
            },
            { atOnce },
          );
          expect(answers).toEqual([...turns.keys()]);
          expect(most).toBeLessThanOrEqual(atOnce);
        },
      ),
    );
  });

  test('four, where no number is given', async () => {
    const { calls, run, begun } = heldCalls();
    const answers = fewAtATime([1, 2, 3, 4, 5, 6], run);
    expect(begun()).toEqual([1, 2, 3, 4]);
    for (let at = 0; at < 6; at++) {
      calls[at]?.end();
      await settled();
    }
    expect(await answers).toHaveLength(6);
  });

  test('after a no, none begins, and those that began give their answers', async () => {
    const { calls, run, begun } = heldCalls();
    let goesOn = true;
    const answers = fewAtATime([1, 2, 3, 4], run, { atOnce: 2, goesOn: () => goesOn });
    calls[0]?.end();
    await settled();
    goesOn = false;
    calls[1]?.end();
    calls[2]?.end();
    expect(await answers).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(begun()).toEqual([1, 2, 3]);
  });

  test('the first error is thrown when those that began have ended, and none begins', async () => {
    const { calls, run, begun } = heldCalls();
    let outcome = 'open';
    const ended = fewAtATime([1, 2, 3, 4], run, { atOnce: 3 }).catch((error: Error) => {
      outcome = error.message;
    });
    calls[1]?.fail(new Error('first'));
    await settled();
    calls[0]?.fail(new Error('second'));
    await settled();
    expect(outcome).toBe('open');
    calls[2]?.end();
    await ended;
    expect(outcome).toBe('first');
    expect(begun()).toEqual([1, 2, 3]);
  });

  test('what throws before it waits is an error like another', async () => {
    const run = (): Promise<never> => {
      throw new Error('at once');
    };
    await expect(fewAtATime([1, 2], run)).rejects.toThrow('at once');
  });
});
