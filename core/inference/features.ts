import { contentTerms } from '../ai/terms.ts';
import type { Signal } from '../detectors/detector.ts';
import type { Fingerprints } from '../detectors/fingerprints.ts';
import type { Language } from '../kernel/stop-words.ts';
import type { TableRead } from '../kernel/table-text.ts';
import { languageOf, words } from '../kernel/words.ts';
import { pairsOf, termHash, termsOf } from './lexical.ts';
import { packTerms, packVector, type TermCounts } from './packed.ts';
import type { Spellings } from './spellings.ts';

/**
 * Part of the stage-cache key. Raise it when the features of some asset change, or the words by which search finds
 * it.
 */
export const FEATURE_VERSION = 5;

/** Features are derived from this many characters of the text. */
const MAX_CHARACTERS = 1_000_000;
/**
 * Terms among the first `OPENING_WORDS` count `OPENING_WEIGHT` times, because a title or first line says what a
 * document is.
 */
const OPENING_WORDS = 40;
const OPENING_WEIGHT = 4;
/** The title is expected in the first run of short lines, or among the first words if no line is short. */
const HEAD_CHARACTERS = 600;
const HEAD_LINES = 4;
const HEAD_LINE_WORDS = 8;
const TITLE_WORDS = 16;
const MAX_TERMS = 400;
const MAX_PAIRS = 400;
const MAX_NAME_TERMS = 32;
const MAX_EMBEDDED_CHARACTERS = 6_000;

/**
 * What is retained of an asset's content: enough to score it again without its source, but no values. Stored as JSON.
 */
export type Features = {
  featureVersion: number;
  /** SHA-256 of the bytes, or null if the content was not read. */
  contentHash: string | null;
  /** Null if the text has too few function words to decide. */
  language: Language | null;
  /** Number of words in the text, including numbers. */
  tokenCount: number;
  /** Number of characters in the text. Each run of white space counts as one. Null if there is no text. */
  characterCount: number | null;
  /** Hashes and counts of the most frequent terms and pairs of terms, packed as in `packed.ts`. */
  terms: string;
  /** The same for the title that the file declares and its first short lines. */
  headings: string;
  nameTerms: string[];
  pathTerms: string[];
  /** Null if nothing was embedded. `values` is packed as in `packed.ts`. */
  embedding: { provider: string; model: string; values: string } | null;
  signals: Signal[];
  /** Set if the asset is a table of a database, and it was read. */
  table?: TableRead;
  /** What the AI provider said of this content. Absent if it was not asked, or could not be. */
  opinion?: Opinion;
  /** Absent if the features are of a release before, or if the profile keeps none. */
  fingerprints?: Fingerprints;
  /** Absent in the same cases. */
  spellings?: Spellings;
};

/** A second opinion as it is retained. It counts only among the types that it was chosen from. */
export type Opinion = {
  provider: string;
  model: string;
  /** Digest of the approved types; see `TaxonomyIndex`. */
  typeSet: string;
  /** `none`: no type fits. `unusable`: the provider refused, or its answer was not one of those allowed. */
  answer: { informationTypeId: string; domainId: string } | 'none' | 'unusable';
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
  /** Path of the asset in its scope, with or without its name. */
  path: string;
  /** Null if there is no text. Only the metadata is then scored. */
  text: string | null;
  /** The title that the file declares apart from its text, or an empty string. */
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

/** Terms of the title that the file declares and of its first run of short lines. */
function headingTerms(title: string, text: string, folded: readonly string[]): TermCounts {
  const head = headLines(title, text).map((line) => contentTerms(words(line).slice(0, TITLE_WORDS)));
  const terms = head.length > 0 ? head.flat() : contentTerms(folded.slice(0, TITLE_WORDS));
  return new Map(mostFrequent([...terms, ...pairsOf(terms)], 2 * TITLE_WORDS));
}

/** Where the terms of a title are from, as it is written. */
export function titleLines(title: string, text: string): string[] {
  const lines = headLines(title, text);
  if (lines.length > 0) return lines;
  const first = text.slice(0, HEAD_CHARACTERS).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return first.slice(0, TITLE_WORDS);
}

/** The title that a file declares and the first run of short lines of its text, without those that hold no term. */
const headLines = (title: string, text: string): string[] =>
  [title, ...firstShortLines(text.slice(0, HEAD_CHARACTERS))]
    .filter((line) => contentTerms(words(line).slice(0, TITLE_WORDS)).length > 0)
    .slice(0, HEAD_LINES);

function firstShortLines(head: string): string[] {
  const lines = head.split('\n').map((line) => ({ line, length: words(line).length }));
  const isShort = ({ length }: { length: number }) => length > 0 && length <= HEAD_LINE_WORDS;
  const fromFirst = lines.slice(Math.max(0, lines.findIndex(isShort)));
  const end = fromFirst.findIndex(({ length }) => length > HEAD_LINE_WORDS);
  return fromFirst.slice(0, end === -1 ? undefined : end).map(({ line }) => line);
}

/** Features of the name and path. A rename changes them and leaves the other features as they are. */
export const nameFeatures = (place: Place): Pick<Features, 'nameTerms' | 'pathTerms'> => ({
  nameTerms: termsOf(nameOf(place)).slice(0, MAX_NAME_TERMS),
  pathTerms: termsOf(foldersOf(place)).slice(0, MAX_NAME_TERMS),
});

export type Place = { name: string; path: string };

/** The name without its ending. */
export const nameOf = ({ name }: Place): string => name.replace(/\.[A-Za-z0-9]{1,8}$/, '');

/** The path without its last part. */
export const foldersOf = ({ path }: Place): string => path.replace(/[^/]*$/, '');

/**
 * The text to embed: the start of the asset's text without words that contain a digit or an `@`. It leaves out the
 * name, because a rename does not cause the content to be read again.
 */
export function embeddingText(text: string): string {
  return text
    .slice(0, 2 * MAX_EMBEDDED_CHARACTERS)
    .split(/\s+/)
    .filter((word) => !/[\p{N}@]/u.test(word))
    .join(' ')
    .slice(0, MAX_EMBEDDED_CHARACTERS);
}

/** Of equally frequent terms the earlier ones are kept, because the start of a document says what it is. */
function mostFrequent(terms: readonly string[], most: number): [hash: number, count: number][] {
  const counts = new Map<number, number>();
  for (const term of terms) {
    const hash = termHash(term);
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, most);
}
