import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Clustered, nearDuplicateClusters } from '../../../core/similarity/near-duplicate-clusters.ts';
import { sketchesOf } from '../../../core/similarity/sketches.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const WORDS = 'invoice contract salary plant report audit supplier board claim tender lease permit'.split(
  ' ',
);
const text = (seed: number, words = 400) =>
  Array.from(
    { length: words },
    (_, n) => `${WORDS[(n * n + seed * n) % WORDS.length]}${(n * seed) % 97}`,
  ).join(' ');

function asset(assetId: string, content: string, contentHash: string | null = null): Clustered {
  const { shingles, template } = sketchesOf(content);
  const bands = [...(shingles?.bands ?? []), ...(template?.bands ?? [])];
  return { assetId, contentHash, shingles: shingles?.signature ?? null, bands };
}

/** The clusters as lists of ids. */
const clustersOf = (assets: readonly Clustered[]) =>
  [...Map.groupBy(nearDuplicateClusters(assets), ([, cluster]) => cluster).values()]
    .map((members) => members.map(([assetId]) => assetId).sort())
    .sort();

test('byte-identical copies are one cluster, even without text', () => {
  expect(
    clustersOf([asset('b', '', 'f0'), asset('a', '', 'f0'), asset('c', '', 'f1'), asset('d', '')]),
  ).toEqual([['a', 'b'], ['c'], ['d']]);
});

test('near-duplicates are one cluster, and other texts are not', () => {
  const original = text(3);
  const edited = original.replace('invoice0', 'changed words here');
  expect(clustersOf([asset('a', original), asset('b', edited), asset('c', text(5))])).toEqual([
    ['a', 'b'],
    ['c'],
  ]);
});

test('a chain of copies and near-duplicates is one cluster', () => {
  const [original, edited] = [text(3), `${text(3)} with an end`];
  const chain = [asset('z', original, 'f0'), asset('m', edited, 'f1'), asset('a', 'short', 'f1')];
  expect(nearDuplicateClusters(chain)).toEqual(
    new Map([
      ['a', 'a'],
      ['m', 'a'],
      ['z', 'a'],
    ]),
  );
});

test('thousands of near-duplicates are one cluster within a moment', () => {
  const original = text(3);
  const sketched = asset('ast', original);
  const assets = Array.from({ length: 5_000 }, (_, n) => ({ ...sketched, assetId: `ast_${n}` }));
  expect(clustersOf(assets)).toHaveLength(1);
});

test('the order of the assets makes no difference', () => {
  const assets = Array.from({ length: 8 }, (_, n) =>
    asset(`ast_${n}`, text(3 + (n % 4)), n % 3 === 0 ? 'f0' : null),
  );
  const expected = nearDuplicateClusters(assets);
  fc.assert(
    fc.property(fc.shuffledSubarray(assets, { minLength: 8 }), (shuffled) => {
      expect(nearDuplicateClusters(shuffled)).toEqual(expected);
    }),
    { numRuns: propertyRuns(20) },
  );
});
