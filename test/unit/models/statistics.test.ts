import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mcNemar, shareOf } from '../../../core/models/statistics.ts';

describe('a share', () => {
  test.each([
    // Values of Wilson (1927), as Newcombe (1998) and Agresti and Coull (1998) print them.
    [0, 10, 0, 0.2775],
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [1, 29, 0.0061, 0.1718],
    [10, 10, 0.7225, 1],
  ])('%d of %d has the interval that the literature has', (part, whole, low, high) => {
    const share = shareOf(part, whole);
    expect(share?.value).toBe(part / whole);
    expect(share?.low).toBeCloseTo(low, 3);
    expect(share?.high).toBeCloseTo(high, 3);
  });

  test('lies in its interval, which narrows as labels are added', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (part, rest) => {
        const share = shareOf(part, part + rest);
        if (part + rest === 0) {
          expect(share).toBeNull();
          return;
        }
        const { value, low, high } = share ?? { value: -1, low: 0, high: 0 };
        expect(low).toBeGreaterThanOrEqual(0);
        expect(value).toBeGreaterThanOrEqual(low);
        expect(value).toBeLessThanOrEqual(high);
        expect(high).toBeLessThanOrEqual(1);
        const more = shareOf(10 * part, 10 * (part + rest));
        expect((more?.high ?? 1) - (more?.low ?? 0)).toBeLessThan(high - low);
      }),
    );
  });
});

/** The same probability, of whole numbers. */
function exactly(first: number, second: number): number {
  const pairs = first + second;
  let choose = 1n;
  let tail = 0n;
  for (let k = 0; k <= Math.min(first, second); k++) {
    tail += choose;
    choose = (choose * BigInt(pairs - k)) / BigInt(k + 1);
  }
  const share = Number((2n * tail * 10n ** 15n) / 2n ** BigInt(pairs)) / 1e15;
  return Math.min(1, share);
}

describe('the exact McNemar test', () => {
  test.each([
    [0, 0, 1],
    [5, 5, 1],
    [0, 6, 0.03125],
    [1, 9, 0.021484375],
    [10, 2, 0.03857421875],
  ])('of %d and %d pairs is %d', (first, second, p) => {
    expect(mcNemar(first, second)).toBeCloseTo(p, 12);
  });

  test('equals the sum of binomial coefficients, whichever side is larger', () => {
    fc.assert(
      fc.property(fc.nat(600), fc.nat(600), (first, second) => {
        expect(mcNemar(first, second)).toBeCloseTo(exactly(first, second), 9);
        expect(mcNemar(second, first)).toBe(mcNemar(first, second));
      }),
    );
  });
});
