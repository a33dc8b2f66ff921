import { hash32 } from '../kernel/hash.ts';
import type { Scored } from './contributions.ts';
import { packTerms, type TermCounts, unpackTerms } from './packed.ts';
import type { IndexedType } from './taxonomy-index.ts';

/** Words of documents that owners confirmed, as hashes. Nothing in it can be read as text. */
export type LearnedWords = {
  /** Log-odds of a full score, 0 to `MOST_WORD_WEIGHT`. */
  weight: number;
  /** Hash of each word to its rarity times `SCALE`, packed as in `packed.ts`. */
  rarities: string;
  /** By information type id: hash of each word to its share in the type's documents times `SCALE`, packed. */
  types: Readonly<Record<string, WordsOfType>>;
};

/** `documents` counts confirmed documents. Near-duplicates count as one. */
type WordsOfType = { domainId: string; documents: number; words: string };

/** A document whose types owners confirmed. Documents of one cluster are near-duplicates. `terms` is packed. */
export type ConfirmedDocument = {
  cluster: string;
  terms: string;
  types: readonly { informationTypeId: string; domainId: string }[];
};

/** A word is kept if so many clusters have it. A type needs so many clusters to have words. */
export const LEAST_CLUSTERS = 3;
/** Words of a type, and of all types together. They bound the size of a release. */
const MAX_WORDS_OF_TYPE = 200;
const MAX_WORDS = 20_000;
/** Documents that words are of. They bound the time of a fit. */
const MAX_DOCUMENTS = 1_000;
const SCALE = 10_000;
/** A difference of cosines of the reciprocal scores 1. */
const STEEP = 4;
const MAX_EVIDENCE = 8;
const NOTHING: Scored = { score: 0, evidence: {} };

/** `LearnedWords`, prepared once for many assets. */
type WordIndex = {
  rarities: ReadonlyMap<number, number>;
  /** Information type id to its place in the arrays. */
  types: ReadonlyMap<string, { at: number; documents: number }>;
  /** Hash of each word to the types that have it, and its share in each. `mean` is over all types. */
  words: ReadonlyMap<number, { types: number[]; shares: number[]; mean: number }>;
};

const indexes = new WeakMap<LearnedWords, WordIndex>();

/**
 * Gathers the words of each type: the mean of its documents' vectors, in which rare words count more. Deterministic; the
 * order of the documents makes no difference. The weight is 0.
 */
export function gatherWords(unordered: readonly ConfirmedDocument[]): LearnedWords {
  const documents = atMost(unordered).map((each) => ({ ...each, terms: unpackTerms(each.terms) }));
  const clustersOf = new Map<number, { size: number; last: string }>();
  const clusters = new Set<string>();
  for (const { cluster, terms } of documents) {
    clusters.add(cluster);
    for (const hash of terms.keys()) {
      const known = clustersOf.get(hash);
      if (known === undefined) clustersOf.set(hash, { size: 1, last: cluster });
      else if (known.last !== cluster) {
        known.size++;
        known.last = cluster;
      }
    }
  }
  const rarities = new Map<number, number>();
  for (const [hash, { size }] of clustersOf)
    if (size >= LEAST_CLUSTERS) rarities.set(hash, Math.log((clusters.size + 1) / size));
  const byType = Map.groupBy(
    documents.flatMap(({ types, ...document }) => types.map((type) => ({ ...document, ...type }))),
    ({ informationTypeId }) => informationTypeId,
  );
  const known = [...byType]
    .map(([id, members]) => ({ id, members, size: new Set(members.map(({ cluster }) => cluster)).size }))
    .filter(({ size }) => size >= LEAST_CLUSTERS)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const most = Math.min(MAX_WORDS_OF_TYPE, Math.floor(MAX_WORDS / Math.max(1, known.length)));
  const kept = new Set<number>();
  const types = known.map(({ id, members, size }): [string, WordsOfType] => {
    const sum = new Map<number, number>();
    for (const { terms } of members) {
      for (const [hash, share] of vectorOf(terms, rarities)) sum.set(hash, (sum.get(hash) ?? 0) + share);
    }
    const shares = [...unit(sum)].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, most);
    for (const [hash] of shares) kept.add(hash);
    const { domainId } = members[0] ?? { domainId: '' };
    return [id, { domainId, documents: size, words: packShares(shares) }];
  });
  return {
    weight: 0,
    rarities: packShares([...rarities].filter(([hash]) => kept.has(hash))),
    types: Object.fromEntries(types),
  };
}

/**
 * How much more the words of an asset resemble the documents that owners confirmed for a type than those of the average
 * type. The evidence names only words of the type's approved texts, and counts all.
 * @returns nothing for a type without words
 */
export function wordScores(
  terms: TermCounts,
  words: LearnedWords | null,
): (informationTypeId: string, approved?: IndexedType['terms']) => Scored {
  if (words === null) return () => NOTHING;
  const index = indexOf(words);
  const vector = vectorOf(terms, index.rarities);
  const resemblances = new Float64Array(index.types.size);
  const shared = new Uint32Array(index.types.size);
  let average = 0;
  for (const [hash, value] of vector) {
    const word = index.words.get(hash);
    if (word === undefined) continue;
    average += value * word.mean;
    for (const [n, at] of word.types.entries()) {
      resemblances[at] = (resemblances[at] ?? 0) + value * (word.shares[n] ?? 0);
      shared[at] = (shared[at] ?? 0) + 1;
    }
  }
  return (informationTypeId, approved) => {
    const type = index.types.get(informationTypeId);
    if (type === undefined) return NOTHING;
    const { at, documents } = type;
    const score = Math.max(-1, Math.min(1, STEEP * ((resemblances[at] ?? 0) - average)));
    const named = [...(score > 0 && approved !== undefined ? approved : [])].flatMap(
      ([hash, { spelled }]) => {
        const word = index.words.get(hash);
        const strength = (vector.get(hash) ?? 0) * (word?.shares[word.types.indexOf(at)] ?? 0);
        return strength > 0 ? [{ spelled, strength }] : [];
      },
    );
    const strongest = named.sort((a, b) => b.strength - a.strength).map(({ spelled }) => spelled);
    const approvedWords = [...new Set(strongest)].slice(0, MAX_EVIDENCE);
    return { score, evidence: { documents, words: shared[at] ?? 0, approvedWords } };
  };
}

function indexOf(words: LearnedWords): WordIndex {
  const known = indexes.get(words);
  if (known !== undefined) return known;
  const types = Object.entries(words.types);
  const index = new Map<number, { types: number[]; shares: number[]; mean: number }>();
  for (const [at, [, { words: packed }]] of types.entries()) {
    for (const [hash, share] of unpackShares(packed)) {
      const word = index.get(hash) ?? { types: [], shares: [], mean: 0 };
      index.set(hash, word);
      word.types.push(at);
      word.shares.push(share);
      word.mean += share / types.length;
    }
  }
  const made = {
    rarities: unpackShares(words.rarities),
    types: new Map(types.map(([id, { documents }], at) => [id, { at, documents }])),
    words: index,
  };
  indexes.set(words, made);
  return made;
}

/** At most `MAX_DOCUMENTS`, as many of each type as there is room for, in an order that depends on their clusters alone. */
function atMost(documents: readonly ConfirmedDocument[]): ConfirmedDocument[] {
  const ordered = documents
    .map((document) => ({ document, hash: hash32(document.cluster) }))
    .sort((a, b) => a.hash - b.hash || compare(a.document, b.document))
    .map(({ document }) => document);
  const types = new Set(
    documents.flatMap((each) => each.types.map(({ informationTypeId }) => informationTypeId)),
  );
  const most = Math.max(2 * LEAST_CLUSTERS, Math.floor(MAX_DOCUMENTS / Math.max(1, types.size)));
  const taken = new Map<string, number>();
  return ordered.filter(({ types: own }) => {
    const isWanted = own.some(({ informationTypeId }) => (taken.get(informationTypeId) ?? 0) < most);
    if (isWanted)
      for (const { informationTypeId } of own)
        taken.set(informationTypeId, (taken.get(informationTypeId) ?? 0) + 1);
    return isWanted;
  });
}

/** The known words of a document as a vector of length 1. */
function vectorOf(counts: TermCounts, rarities: ReadonlyMap<number, number>): Map<number, number> {
  const vector = new Map<number, number>();
  for (const [hash, count] of counts) {
    const rarity = rarities.get(hash);
    if (rarity !== undefined) vector.set(hash, (1 + Math.log(count)) * rarity);
  }
  return unit(vector);
}

function unit(vector: Map<number, number>): Map<number, number> {
  let squares = 0;
  for (const value of vector.values()) squares += value * value;
  const length = Math.sqrt(squares) || 1;
  for (const [hash, value] of vector) vector.set(hash, value / length);
  return vector;
}

/** Shares below one step of `SCALE` are left out. */
const packShares = (shares: readonly (readonly [number, number])[]): string =>
  packTerms(
    new Map(shares.map(([hash, share]) => [hash, share * SCALE] as const).filter(([, each]) => each >= 1)),
  );

const unpackShares = (packed: string): Map<number, number> =>
  new Map([...unpackTerms(packed)].map(([hash, each]) => [hash, each / SCALE]));

function compare(a: ConfirmedDocument, b: ConfirmedDocument): number {
  if (a.cluster !== b.cluster) return a.cluster < b.cluster ? -1 : 1;
  if (a.terms !== b.terms) return a.terms < b.terms ? -1 : 1;
  return 0;
}
