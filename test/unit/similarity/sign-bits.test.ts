import { describe, expect, test } from 'vitest';
import { bitLiteral, SIGN_BITS, signBits } from '../../../core/similarity/sign-bits.ts';
import { mix32 } from '../../../core/similarity/sketch.ts';

const random = (seed: number) => mix32(seed) / 2 ** 32 - 0.5;
const direction = (seed: number, dimensions: number) =>
  Float32Array.from({ length: dimensions }, (_, at) => random(seed * 7_919 + at));
const blend = (a: Float32Array, b: Float32Array, share: number) =>
  a.map((value, at) => value + share * (b[at] ?? 0));
/** The number of different bits. */
const hamming = (a: Int32Array, b: Int32Array) =>
  a.reduce((sum, word, at) => sum + ((word ^ (b[at] ?? 0)) >>> 0).toString(2).replaceAll('0', '').length, 0);
const angle = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
    Array.from(x).reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
  return Math.acos(dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)));
};

describe('sign bits', () => {
  test.each([8, 384, 512, 1_536, 3_072])('tell the angle of vectors of %i dimensions', (dimensions) => {
    for (const share of [0.2, 0.8, 2]) {
      const errors = Array.from({ length: 20 }, (_, round) => {
        const a = direction(round + 1, dimensions);
        const b = blend(a, direction(round + 1_001, dimensions), share);
        return (hamming(signBits(a), signBits(b)) / SIGN_BITS) * Math.PI - angle(a, b);
      });
      const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
      expect(Math.abs(mean)).toBeLessThan(0.06);
    }
  });

  test('also of sparse vectors, whatever their length', () => {
    const sparse = (at: number) => Float32Array.from({ length: 384 }, (_, i) => (i % 97 === at ? 1 : 0));
    expect(hamming(signBits(sparse(3)), signBits(sparse(3).map((value) => 50 * value)))).toBe(0);
    // At a right angle half of the bits differ.
    expect(Math.abs(hamming(signBits(sparse(3)), signBits(sparse(4))) - SIGN_BITS / 2)).toBeLessThan(90);
  });

  test('are written as Postgres reads them', () => {
    const literal = bitLiteral(signBits(direction(1, 384)));
    expect(literal).toMatch(/^x[0-9a-f]{128}$/);
  });
});
