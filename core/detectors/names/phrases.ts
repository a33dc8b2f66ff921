import { LABEL } from './signs.ts';
import type { Slice } from './tokens.ts';

/** Phrases of folded words, by the words that they end and begin with, which rule most places out. */
export type Phrases = {
  readonly all: ReadonlySet<string>;
  readonly byLast: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly byFirst: ReadonlyMap<string, readonly (readonly string[])[]>;
};

/** The items of a list that commas and line ends separate. */
export const wordSet = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s*[,\n]\s*/));

export function phrases(list: string): Phrases {
  const all = wordSet(list);
  const split = [...all].map((phrase) => phrase.split(' '));
  return {
    all,
    byLast: grouped(split, (words) => words.at(-1) ?? ''),
    byFirst: grouped(split, (words) => words[0] ?? ''),
  };
}

function grouped(lists: readonly string[][], keyOf: (words: string[]) => string): Map<string, string[][]> {
  const groups = new Map<string, string[][]>();
  for (const words of lists) groups.set(keyOf(words), [...(groups.get(keyOf(words)) ?? []), words]);
  return groups;
}

/** The words before word `at` end with one of the phrases, of at least so many words; `gap` must stand between. */
export function isAfterPhrase(
  { tokens, folded }: Slice,
  at: number,
  known: Phrases,
  gap: RegExp,
  least = 1,
): boolean {
  const candidates = known.byLast.get(folded[at - 1] ?? '');
  if (candidates === undefined || !gap.test(tokens[at]?.gap ?? '')) return false;
  return candidates.some((words) => words.length >= least && standsAt(folded, at - words.length, words));
}

/** As above, where the phrase is the label of a field, so that more than a space stands between. */
export const isLabelled = (slice: Slice, at: number, labels: Phrases): boolean =>
  slice.tokens[at]?.gap !== ' ' && isAfterPhrase(slice, at, labels, LABEL);

/** Word `at` begins one of the phrases, in the same clause as the word before. */
export function isBeforePhrase({ tokens, folded }: Slice, at: number, known: Phrases): boolean {
  const candidates = known.byFirst.get(folded[at] ?? '');
  if (candidates === undefined || !/^[ ,]{1,2}$/.test(tokens[at]?.gap ?? '')) return false;
  return candidates.some((words) => standsAt(folded, at, words));
}

const standsAt = (folded: readonly string[], at: number, words: readonly string[]): boolean =>
  words.every((word, i) => folded[at + i] === word);
