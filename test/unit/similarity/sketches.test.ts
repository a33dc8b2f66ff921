import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEAST_SIMILARITY } from '../../../core/similarity/comparable.ts';
import { eachShingle, eachTemplatePiece } from '../../../core/similarity/shingles.ts';
import { estimatedJaccard, mix32, type Sketch, Sketcher } from '../../../core/similarity/sketch.ts';
import { sketchesOf } from '../../../core/similarity/sketches.ts';
import { linesOf } from '../../../infra/local/fixture/business-document.ts';
import { fixtureDocument } from '../../../infra/local/fixture/fixture-content.ts';
import { seedFixture } from '../../../infra/local/fixture/seed-fixture.ts';
import { wordsFrom } from '../../support/words-from.ts';

function sketchOf(elements: readonly number[]): Sketch {
  const sketcher = new Sketcher();
  for (const element of elements) sketcher.add(mix32(element));
  const sketch = sketcher.sketch('shingles', 1);
  if (sketch === null) throw new Error('Nothing was added');
  return sketch;
}

const range = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);
const meet = (a: Sketch, b: Sketch) => a.bands.some((band) => b.bands.includes(band));

describe('a sketch', () => {
  test.each([60, 400, 5_000, 60_000])('estimates the Jaccard similarity of sets of %i', (size) => {
    const errors = [0.2, 0.5, 0.8, 0.95].flatMap((jaccard) =>
      range(0, 10).map((round) => {
        const shared = Math.round((2 * size * jaccard) / (1 + jaccard));
        const base = round * 10_000_000;
        const a = sketchOf(range(base, size));
        const b = sketchOf([...range(base, shared), ...range(base + 5_000_000, size - shared)]);
        return estimatedJaccard(a.signature, b.signature) - shared / (2 * size - shared);
      }),
    );
    const rootMeanSquare = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
    expect(rootMeanSquare).toBeLessThan(0.025);
    const bias = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    expect(Math.abs(bias)).toBeLessThan(0.012);
  });

  test('meets in a band what is alike, seldom what is not', () => {
    const pairs = (jaccard: number, size: number) =>
      range(0, 100).filter((round) => {
        const shared = Math.round((2 * size * jaccard) / (1 + jaccard));
        const base = round * 10_000_000;
        return meet(
          sketchOf(range(base, size)),
          sketchOf([...range(base, shared), ...range(base + 5_000_000, size - shared)]),
        );
      }).length;
    for (const size of [40, 2_000]) {
      expect(pairs(0.85, size)).toBeGreaterThanOrEqual(98);
      expect(pairs(0.05, size)).toBeLessThanOrEqual(5);
    }
  });

  test('neither order nor repetition changes it, and kinds never meet', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 300 }), (elements) => {
        expect(sketchOf([...elements, ...elements].reverse())).toEqual(sketchOf(elements));
      }),
    );
    const sketcher = new Sketcher();
    for (const element of range(0, 100)) sketcher.add(mix32(element));
    const template = sketcher.sketch('template', 1);
    expect(template?.bands.some((band) => sketchOf(range(0, 100)).bands.includes(band))).toBe(false);
  });
});

describe('shingles', () => {
  const shingles = (text: string) => {
    const hashes: number[] = [];
    eachShingle(text, (hash) => hashes.push(hash));
    return hashes;
  };

  test('one for each run of five words, of equal words the same', () => {
    expect(shingles('one two three four')).toHaveLength(0);
    expect(shingles('one two three four five six')).toHaveLength(2);
    expect(shingles('Ein Größe, Straße; 2 Łódź_x!')).toEqual(shingles('ein größe straße 2 łódź_x'));
    expect(shingles('one two three four five')).not.toEqual(shingles('one two three five four'));
    expect(shingles('one two three four 5')).not.toEqual(shingles('one two three four 6'));
  });

  test('words of any length and signs beyond the first plane do no harm', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        expect(shingles(text).length).toBeLessThanOrEqual(Math.max(0, text.length));
      }),
    );
    expect(shingles('a'.repeat(1_000_000))).toHaveLength(0);
  });
});

describe('what texts are sketched to', () => {
  test('too little text has no sketch', () => {
    expect(sketchesOf('')).toEqual({ shingles: null, template: null });
    expect(sketchesOf(wordsFrom(0, 12)).shingles).toBeNull();
    expect(sketchesOf(wordsFrom(0, 60)).shingles).not.toBeNull();
  });

  test('hostile lines cost no more than others', () => {
    for (const text of ['a:'.repeat(500_000), `${'x '.repeat(999)}:`.repeat(500), '\t'.repeat(1_000_000)]) {
      let pieces = 0;
      eachTemplatePiece(text, () => pieces++);
      expect(pieces).toBeLessThanOrEqual(text.length);
    }
  });

  test('documents of one template differ from those of others in spite of other words', () => {
    const documents = seedFixture('template-test').items.flatMap((item) => {
      if (!item.readable) return [];
      const { shingles, template } = sketchesOf(linesOf(fixtureDocument(item)).join('\n'));
      return shingles === null || template === null ? [] : [{ item, shingles, template }];
    });
    const pairs = documents.flatMap((a, at) =>
      documents
        .slice(at + 1)
        .filter((b) => a.item.contentKey !== b.item.contentKey)
        .map((b) => ({
          one: a.item.template === b.item.template,
          found:
            estimatedJaccard(a.template.signature, b.template.signature) >= LEAST_SIMILARITY.same_template,
          met: meet(a.template, b.template),
          near:
            estimatedJaccard(a.shingles.signature, b.shingles.signature) >= LEAST_SIMILARITY.near_duplicate,
        })),
    );
    const share = (of: typeof pairs, what: 'found' | 'met' | 'near') =>
      of.filter((pair) => pair[what]).length / of.length;
    const ofOne = pairs.filter(({ one }) => one);
    expect(ofOne.length).toBeGreaterThan(100);
    expect(share(ofOne, 'found')).toBeGreaterThan(0.8);
    expect(share(ofOne, 'near')).toBeLessThan(0.1);
    expect(
      share(
        ofOne.filter(({ found }) => found),
        'met',
      ),
    ).toBeGreaterThan(0.95);
    expect(
      share(
        pairs.filter(({ one }) => !one),
        'found',
      ),
    ).toBeLessThan(0.001);
  });
});
