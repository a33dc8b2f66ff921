import { isBeginning, kindOf } from './lexicon.ts';
import { LABEL } from './signs.ts';
import { type Slice, tokenAt, wordAt } from './tokens.ts';
import { beginsOneOf, endsOneOf } from './word.ts';
import type { Phrases } from './word-lists.ts';

const MAX_WORDS = 6;

/** The words before word `at` end with one of the phrases, of at least so many words; `gap` must stand between. */
export function isAfterPhrase(slice: Slice, at: number, known: Phrases, gap: RegExp, least = 1): boolean {
  const before = wordAt(slice, at - 1);
  if (!endsOneOf(before, known) || !gap.test(tokenAt(slice, at).gap)) return false;
  const candidates = known.byLast.get(before.folded) ?? [];
  return candidates.some((words) => words.length >= least && standsAt(slice, at - words.length, words));
}

/** As above, where the phrase is the label of a field, so that more than a space stands between. */
export const isLabelled = (slice: Slice, at: number, labels: Phrases): boolean =>
  tokenAt(slice, at).gap !== ' ' && isAfterPhrase(slice, at, labels, LABEL);

/** Word `at` begins one of the phrases, in the same clause as the word before. */
export function isBeforePhrase(slice: Slice, at: number, known: Phrases): boolean {
  const { word, gap } = tokenAt(slice, at);
  if (!beginsOneOf(word, known) || !/^[ ,]{1,2}$/.test(gap)) return false;
  return known.byFirst.get(word.folded)?.some((words) => standsAt(slice, at, words)) === true;
}

/** The words of a phrase stand from word `at` on. */
export const standsAt = (slice: Slice, at: number, words: readonly string[]): boolean =>
  words.every((word, i) => wordAt(slice, at + i).folded === word);

/** The longest known name of several words that begins at `at` and ends by `end`. */
export function knownNameAt(
  slice: Slice,
  at: number,
  end: number,
): { to: number; type: 'place' | 'organization' } | null {
  const first = wordAt(slice, at);
  if (!first.beginsName || !isBeginning(`${first.folded} ${wordAt(slice, at + 1).folded}`)) return null;
  const words = slice.tokens.slice(at, Math.min(end, at + MAX_WORDS)).map(({ word }) => word.folded);
  for (let length = words.length; length > 1; length--) {
    const kind = kindOf(words.slice(0, length).join(' '));
    if (kind === 'place' || kind === 'organization') return { to: at + length, type: kind };
  }
  return null;
}
