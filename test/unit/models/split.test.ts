import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Splittable, splitByCluster } from '../../../core/models/split.ts';

const fractions = fc.double({ min: 0.1, max: 0.9, noNaN: true });
const labels = fc
  .array(fc.record({ cluster: fc.integer({ min: 0, max: 9 }), stratum: fc.constantFrom('a', 'b', 'c') }), {
    maxLength: 40,
  })
  .map((each) =>
    each.map(({ cluster, stratum }, n): Splittable => ({ id: `dsc_${n}`, cluster: `c${cluster}`, stratum })),
  );

const sizesOf = (all: readonly Splittable[]) =>
  [...Map.groupBy(all, ({ cluster }) => cluster).values()].map(({ length }) => length);

/** All sums of some, but not all and not none, of the sizes. */
function sumsOf(sizes: readonly number[]): Set<number> {
  const sums = new Set<number>();
  for (let chosen = 1; chosen < 2 ** sizes.length - 1; chosen++)
    sums.add(sizes.reduce((sum, size, at) => sum + ((chosen >> at) & 1) * size, 0));
  return sums;
}

describe('a split', () => {
  test('keeps each cluster on one side, and leaves neither side empty', () => {
    fc.assert(
      fc.property(labels, fractions, fc.string(), (all, fraction, seed) => {
        const sides = splitByCluster(all, fraction, seed);
        const clusters = Map.groupBy(all, ({ cluster }) => cluster);
        if (clusters.size < 2) {
          expect(sides).toBeNull();
          return;
        }
        for (const members of clusters.values())
          expect(new Set(members.map(({ id }) => sides?.get(id))).size).toBe(1);
        expect(new Set(sides?.values())).toEqual(new Set(['training', 'held_out']));
        expect(sides?.size).toBe(all.length);
      }),
    );
  });

  test('holds out as near to the fraction as whole clusters allow', () => {
    fc.assert(
      fc.property(labels, fractions, fc.string(), (all, fraction, seed) => {
        const sides = splitByCluster(all, fraction, seed);
        if (sides === null) return;
        const held = [...sides.values()].filter((side) => side === 'held_out').length;
        const off = (sum: number) => Math.abs(sum - fraction * all.length);
        expect(off(held)).toBe(Math.min(...[...sumsOf(sizesOf(all))].map(off)));
      }),
    );
  });

  test('depends on the seed and the labels, and not on their order', () => {
    fc.assert(
      fc.property(labels, fractions, fc.string(), fc.integer(), (all, fraction, seed, at) => {
        const turned = [...all.slice(at % (all.length + 1)), ...all.slice(0, at % (all.length + 1))];
        const inOrder = (sides: ReturnType<typeof splitByCluster>) => sides && [...sides].sort();
        expect(inOrder(splitByCluster(turned, fraction, seed))).toEqual(
          inOrder(splitByCluster(all, fraction, seed)),
        );
      }),
    );
  });

  test('of another seed holds out others', () => {
    const all = Array.from({ length: 100 }, (_, n) => ({ id: `d${n}`, cluster: `c${n}`, stratum: 'a' }));
    const held = (seed: string) =>
      [...(splitByCluster(all, 0.5, seed) ?? [])].filter(([, side]) => side === 'held_out').join();
    expect(held('one')).not.toBe(held('two'));
  });

  test('holds out the same share of each stratum', () => {
    const all = Array.from({ length: 100 }, (_, n) => ({
      id: `d${n}`,
      cluster: `c${n}`,
      stratum: n < 10 ? 'rare' : 'frequent',
    }));
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const sides = splitByCluster(all, 0.3, seed);
        const held = (stratum: string) =>
          all.filter((each) => each.stratum === stratum && sides?.get(each.id) === 'held_out').length;
        expect([held('rare'), held('frequent')]).toEqual([3, 27]);
      }),
    );
  });

  test('of ten thousand labels in clusters of any size takes no minute', () => {
    const all = Array.from({ length: 10_000 }, (_, n) => ({
      id: `d${n}`,
      cluster: `c${Math.floor(Math.sqrt(n) * 40)}`,
      stratum: `s${n % 7}`,
    }));
    const sides = splitByCluster(all, 0.2, 'seed');
    expect([...(sides?.values() ?? [])].filter((side) => side === 'held_out').length).toBe(2_000);
  });
});
