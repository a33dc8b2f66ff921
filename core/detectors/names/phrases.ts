import type { Slice } from './tokens.ts';

/** Phrases of at most three folded words, with the words that they end and begin with, which rule most places out. */
export type Phrases = {
  readonly all: ReadonlySet<string>;
  readonly lastWords: ReadonlySet<string>;
  readonly firstWords: ReadonlySet<string>;
};

const LENGTHS = [1, 2, 3];

/** The items of a list that commas and line ends separate. */
export const wordSet = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s*[,\n]\s*/));

export function phrases(list: string): Phrases {
  const all = wordSet(list);
  return {
    all,
    lastWords: new Set([...all].map((phrase) => phrase.slice(phrase.lastIndexOf(' ') + 1))),
    firstWords: new Set([...all].map((phrase) => phrase.split(' ', 1)[0] ?? '')),
  };
}

/** The words before word `at` end with one of the phrases, of at least so many words; `gap` must stand between. */
export function isAfterPhrase(
  { tokens, folded }: Slice,
  at: number,
  known: Phrases,
  gap: RegExp,
  least = 1,
): boolean {
  if (!known.lastWords.has(folded[at - 1] ?? '') || !gap.test(tokens[at]?.gap ?? '')) return false;
  return LENGTHS.some(
    (length) => length >= least && at >= length && known.all.has(folded.slice(at - length, at).join(' ')),
  );
}

/** Word `at` begins one of the phrases, in the same clause as the word before. */
export function isBeforePhrase({ tokens, folded }: Slice, at: number, known: Phrases): boolean {
  if (!known.firstWords.has(folded[at] ?? '') || !/^[ ,]{1,2}$/.test(tokens[at]?.gap ?? '')) return false;
  return LENGTHS.some((length) => known.all.has(folded.slice(at, at + length).join(' ')));
}
