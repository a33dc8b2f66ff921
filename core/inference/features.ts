import { contentTerms } from '../ai/terms.ts';
import type { Signal } from '../detectors/detector.ts';
import type { Language } from '../kernel/stop-words.ts';
import { languageOf, words } from '../kernel/words.ts';
import { pairsOf, termHash, termsOf } from './lexical.ts';
import { packTerms, packVector, type TermCounts } from './packed.ts';

/** Part of the stage-cache key: raise it when the features of some asset change, or the words that it is found by. */
export const FEATURE_VERSION = 4;

/** Characters of the text that features are derived from. */
const MAX_CHARACTERS = 1_000_000;
/** Words at the start, and how many times each counts there: a title and a first line say what a document is. */
const OPENING_WORDS = 40;
const OPENING_WEIGHT = 4;
/** A title is among the first short lines; where there are none, among the first words. */
const HEAD_CHARACTERS = 600;
const HEAD_LINES = 4;
const HEAD_LINE_WORDS = 8;
const TITLE_WORDS = 16;
const MAX_TERMS = 400;
const MAX_PAIRS = 400;
const MAX_NAME_TERMS = 32;
const MAX_EMBEDDED_CHARACTERS = 6_000;

/**
 * What is retained of an asset's content: enough to score it again without its source, and none of its values. JSON
 * as it stands.
 */
export type Features = {
  featureVersion: number;
  /** SHA-256 of the bytes, or null where the content was not read. */
  contentHash: string | null;
  /** Null where there are too few function words to say. */
  language: Language | null;
  /** Words of the text, numbers included. */
  tokenCount: number;
  /** Characters of the text, each white space as one; null where there is no text. */
  characterCount: number | null;
  /** The most frequent terms and pairs of terms as hashes with their counts, packed; see `packed.ts`. */
  terms: string;
  /** The same of the title that the file states and of the first short lines, among which a title is. */
  headings: string;
  nameTerms: string[];
  pathTerms: string[];
  /** Null where nothing was embedded. `values` is packed; see `packed.ts`. */
  embedding: { provider: string; model: string; values: string } | null;
  signals: Signal[];
};

export type Embedding = { provider: string; model: string; vector: Float32Array };

/** An embedding as it is retained. */
export const packEmbedding = ({ provider, model, vector }: Embedding) => ({
  provider,
  model,
  values: packVector(vector),
});

export type FeatureInput = {
  name: string;
  /** Path of the asset in its scope, its name included or not. */
  path: string;
  /** Null where there is no text: the metadata alone then speak. */
  text: string | null;
  /** What the file states as its title, beside its text; empty where it states none. */
  title: string;
  contentHash: string | null;
  signals: readonly Signal[];
  embedding: Embedding | null;
};

export function deriveFeatures(input: FeatureInput): Features {
  const text = input.text?.slice(0, MAX_CHARACTERS) ?? '';
  const folded = words(text);
  const opening = contentTerms(folded.slice(0, OPENING_WORDS));
  const terms = [
    ...Array.from({ length: OPENING_WEIGHT - 1 }, () => opening).flat(),
    ...contentTerms(folded),
  ];
  const { embedding } = input;
  return {
    featureVersion: FEATURE_VERSION,
    contentHash: input.contentHash,
    language: languageOf(folded),
    tokenCount: folded.length,
    characterCount: input.text === null ? null : text.replace(/\s+/g, ' ').trim().length,
    terms: packTerms(
      new Map([...mostFrequent(terms, MAX_TERMS), ...mostFrequent(pairsOf(terms), MAX_PAIRS)]),
    ),
    headings: packTerms(headingTerms(input.title, text, folded)),
    ...nameFeatures(input),
    embedding: embedding && packEmbedding(embedding),
    signals: [...input.signals],
  };
}

/** Terms of the title that the file states and of its first short lines. */
function headingTerms(title: string, text: string, folded: readonly string[]): TermCounts {
  const lines = text
    .slice(0, HEAD_CHARACTERS)
    .split('\n')
    .map(words)
    .filter((line) => line.length <= HEAD_LINE_WORDS)
    .map(contentTerms);
  const stated = contentTerms(words(title).slice(0, TITLE_WORDS));
  const head = [stated, ...lines].filter((line) => line.length > 0).slice(0, HEAD_LINES);
  const terms = head.length > 0 ? head.flat() : contentTerms(folded.slice(0, TITLE_WORDS));
  return new Map(mostFrequent([...terms, ...pairsOf(terms)], 2 * TITLE_WORDS));
}

/** What the names say, which a rename changes and the content does not. */
export const nameFeatures = ({
  name,
  path,
}: {
  name: string;
  path: string;
}): Pick<Features, 'nameTerms' | 'pathTerms'> => ({
  nameTerms: termsOf(name.replace(/\.[A-Za-z0-9]{1,8}$/, '')).slice(0, MAX_NAME_TERMS),
  pathTerms: termsOf(path.replace(/[^/]*$/, '')).slice(0, MAX_NAME_TERMS),
});

/**
 * What is embedded of an asset: the start of its text, without any word that holds a digit or an `@`. Not its name,
 * which may change without the content being read again.
 */
export function embeddingText(text: string): string {
  return text
    .slice(0, 2 * MAX_EMBEDDED_CHARACTERS)
    .split(/\s+/)
    .filter((word) => !/[\p{N}@]/u.test(word))
    .join(' ')
    .slice(0, MAX_EMBEDDED_CHARACTERS);
}

/** Of equally frequent terms the earlier ones stay: the start of a document says what it is. */
function mostFrequent(terms: readonly string[], most: number): [hash: number, count: number][] {
  const counts = new Map<number, number>();
  for (const term of terms) {
    const hash = termHash(term);
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, most);
}
