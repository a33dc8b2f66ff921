import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gatherWords, LEAST_CLUSTERS, wordScores } from '../../../core/inference/learned-words.ts';
import { packTerms, unpackTerms } from '../../../core/inference/packed.ts';
import { MOST_WORD_WEIGHT } from '../../../core/inference/weights.ts';
import { fitWeights as fitTo } from '../../../core/models/fit-weights.ts';
import type { Example } from '../../../core/models/label-examples.ts';
import { rankByWords } from '../../../core/models/rank-words.ts';

const fitWeights = async (examples: readonly Example[]) => fitTo(examples, await rankByWords(examples));

const packed = (hashes: readonly number[]) => packTerms(new Map(hashes.map((hash) => [hash, 1])));
const confirmed = (cluster: string, type: string, hashes: readonly number[]) => ({
  cluster,
  terms: packed(hashes),
  types: [{ informationTypeId: type, domainId: `dom_${type}` }],
});
const hashesOf = (terms: string) => [...unpackTerms(terms).keys()];
const clusters = (count: number) => Array.from({ length: count }, (_, at) => String(at));

describe('words of confirmed documents', () => {
  const documents = [
    ...clusters(4).map((cluster) => confirmed(`a${cluster}`, 'ift_a', [1, 2, 100 + Number(cluster)])),
    ...clusters(4).map((cluster) => confirmed(`b${cluster}`, 'ift_b', [1, 3, 200 + Number(cluster)])),
  ];

  test('are kept only if enough clusters have them', () => {
    const { rarities, types } = gatherWords(documents);
    expect(new Set(hashesOf(rarities))).toEqual(new Set([1, 2, 3]));
    expect(new Set(hashesOf(types.ift_a?.words ?? ''))).toEqual(new Set([1, 2]));
  });

  test('of copies are those of one document', () => {
    const copies = clusters(9).map(() => confirmed('one', 'ift_c', [7, 8]));
    const { rarities, types } = gatherWords([...documents, ...copies]);
    expect(types.ift_c).toBeUndefined();
    expect(hashesOf(rarities)).not.toContain(7);
  });

  test('of a type with too few documents are none', () => {
    const few = clusters(LEAST_CLUSTERS - 1).map((cluster) => confirmed(cluster, 'ift_few', [2, 3]));
    expect(Object.keys(gatherWords([...documents, ...few]).types)).toEqual(['ift_a', 'ift_b']);
  });

  test('score the documents of their type above others, within -1 and 1', () => {
    const words = gatherWords(documents);
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 4 })), (hashes) => {
        const scoreOf = wordScores(unpackTerms(packed(hashes)), words);
        for (const type of ['ift_a', 'ift_b', 'ift_unknown'])
          expect(Math.abs(scoreOf(type).score)).toBeLessThanOrEqual(1);
        const difference = scoreOf('ift_a').score - scoreOf('ift_b').score;
        expect(Math.sign(difference)).toBe(Number(hashes.includes(2)) - Number(hashes.includes(3)));
      }),
    );
  });

  test('are named in evidence only as the approved texts spell them', () => {
    const approved = new Map([[2, { spelled: 'invoice', weight: 1, inName: true }]]);
    const { evidence } = wordScores(unpackTerms(packed([1, 2, 9])), gatherWords(documents))(
      'ift_a',
      approved,
    );
    expect(evidence).toEqual({ documents: 4, words: 2, approvedWords: ['invoice'] });
  });

  test('are the same in any order of the documents', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(documents, { minLength: documents.length }), (shuffled) => {
        expect(gatherWords(shuffled)).toEqual(gatherWords(documents));
      }),
      { numRuns: 20 },
    );
  });
});

describe('a fit with words', () => {
  /** Documents whose words are those of their type with the given share, and a hand-set model that knows nothing. */
  const examples = (count: number, wordOf: (type: string, at: number) => number): Example[] =>
    ['ift_a', 'ift_b'].flatMap((type) =>
      clusters(count).flatMap((cluster, at): Example[] => {
        const scores = new Map([['lexical_similarity', 0.5]]);
        const [own, other] = [type, type === 'ift_a' ? 'ift_b' : 'ift_a'].map((informationTypeId) => ({
          ...{ informationTypeId, domainId: `dom_${informationTypeId}`, scores, copied: 0 },
        }));
        if (own === undefined || other === undefined) return [];
        const document = {
          cluster: `${type}${cluster}`,
          terms: packed([wordOf(type, at), 50, 60 + (at % 7)]),
        };
        return [
          { ...own, isPositive: true, document, rivals: [other] },
          { ...other, isPositive: false, document, rivals: [] },
        ];
      }),
    );
  const telling = examples(20, (type) => (type === 'ift_a' ? 1 : 2));
  const chance = examples(20, (_, at) => (at % 2) + 1);

  test('weighs words that tell the types apart', async () => {
    const learned = await fitWeights(telling);
    expect(learned?.words?.weight).toBeGreaterThan(1);
    expect(learned?.words?.weight).toBeLessThanOrEqual(MOST_WORD_WEIGHT);
    expect(Object.keys(learned?.words?.types ?? {})).toEqual(['ift_a', 'ift_b']);
  });

  test('drops words that do not help in other documents', async () => {
    expect((await fitWeights(chance))?.words).toBeUndefined();
  });

  test('is not misled by copies', async () => {
    const copied = chance.map((each) => ({
      ...each,
      document: { ...each.document, cluster: each.document.terms },
    }));
    expect((await fitWeights(copied))?.words).toBeUndefined();
  });

  test('does not count a domain that people confirmed as a rival', async () => {
    const isOfA = ({ document }: Example) => document.cluster.startsWith('ift_a');
    // Documents of the one type are of the other type too.
    const both = telling.map((each) => (isOfA(each) ? { ...each, isPositive: true } : each));
    const withoutRivals = both.map((each) => (isOfA(each) ? { ...each, rivals: [] } : each));
    expect((await fitWeights(both))?.words).toBeDefined();
    expect(await fitWeights(both)).toEqual(await fitWeights(withoutRivals));
  });

  test('is the same in any order of the labels', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(telling, { minLength: telling.length }), async (shuffled) => {
        expect(await fitWeights(shuffled)).toEqual(await fitWeights(telling));
      }),
      { numRuns: 5 },
    );
  });
});
