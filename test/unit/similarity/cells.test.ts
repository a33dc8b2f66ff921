import { describe, expect, test } from 'vitest';
import { packVector, unpackVector } from '../../../core/inference/packed.ts';
import { Cells, packedCentroids, trainCentroids } from '../../../core/similarity/cells.ts';
import { bitLiteral, hamming, SIGN_BITS, signBits } from '../../../core/similarity/sign-bits.ts';
import { mix32 } from '../../../core/similarity/sketch.ts';

const random = (seed: number) => mix32(seed) / 2 ** 32 - 0.5;
const direction = (seed: number, dimensions: number) =>
  Float32Array.from({ length: dimensions }, (_, at) => random(seed * 7_919 + at));
const packed = (vector: Float32Array) => unpackVector(packVector(vector));
const blend = (a: Float32Array, b: Float32Array, share: number) =>
  a.map((value, at) => value + share * (b[at] ?? 0));
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

describe('cells', () => {
  const themes = Array.from({ length: 12 }, (_, theme) => direction(theme + 1, 64));
  const vectors = Array.from({ length: 1_200 }, (_, at) => {
    const theme = themes[at % themes.length];
    if (theme === undefined) throw new RangeError('No theme');
    return packed(blend(theme, direction(at + 5_000, 64), 0.5));
  });

  test('hold together what belongs together, and the nearest are found', async () => {
    const centroids = await trainCentroids(vectors, 24);
    expect(centroids.length).toBeGreaterThanOrEqual(12);
    expect(centroids.length).toBeLessThanOrEqual(40);
    const cells = new Cells(packedCentroids(centroids), 64);
    expect(cells.count).toBe(centroids.length);
    const themesOf = new Map<number, Set<number>>();
    vectors.forEach((vector, at) => {
      const [cell = -1] = cells.nearest(vector, signBits(vector), 1);
      themesOf.set(cell, (themesOf.get(cell) ?? new Set()).add(at % themes.length));
    });
    const pure = [...themesOf.values()].filter((members) => members.size === 1).length;
    expect(pure / themesOf.size).toBeGreaterThan(0.8);
  });

  test('are the same for the same sample, and never more than the sample bears', async () => {
    expect(await trainCentroids(vectors, 24)).toEqual(await trainCentroids(vectors, 24));
    expect((await trainCentroids(vectors.slice(0, 20), 500)).length).toBeLessThanOrEqual(4);
    expect(
      await trainCentroids(
        Array.from({ length: 100 }, () => packed(direction(1, 64))),
        8,
      ),
    ).toHaveLength(1);
  });
});
