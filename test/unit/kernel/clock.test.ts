import fc from 'fast-check';
import { expect, test } from 'vitest';
import { neverBack } from '../../../core/kernel/clock.ts';

test('a clock that never runs back goes on with the pace of the one that was set', () => {
  let now = 1_000;
  const steady = neverBack(() => now);
  expect(steady()).toBe(1_000);
  now = 5_000;
  expect(steady()).toBe(5_000);
  now = 2_000;
  expect(steady()).toBe(5_000);
  now = 2_300;
  expect(steady()).toBe(5_300);
});

test('whatever happens to the other clock, it never runs back and never slower', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 1 }), (steps) => {
      let now = 0;
      const steady = neverBack(() => now);
      let before = steady();
      for (const step of steps) {
        now += step;
        const after = steady();
        expect(after - before).toBe(Math.max(0, step));
        before = after;
      }
    }),
  );
});
