import { isBeginning, kindOf } from './lexicon.ts';
import { LABEL } from './signs.ts';
import { type Slice, tokenAt, wordAt } from './tokens.ts';
import { beginsOneOf, endsOneOf } from './word.ts';
import type { Phrases } from './word-lists.ts';

const MAX_WORDS = 6;

/**
 * Whether the words before word `at` end with a phrase of at least `least` words, and `gap` matches what is between.
 */
export function isAfterPhrase(slice: Slice, at: number, known: Phrases, gap: RegExp, least = 1): boolean {
  const before = wordAt(slice, at - 1);
  if (!endsOneOf(before, known) || !gap.test(tokenAt(slice, at).gap)) return false;
  const candidates = known.byLast.get(before.folded) ?? [];
  return candidates.some((words) => words.length >= least && occursAt(slice, at - words.length, words));
}

/** Like `isAfterPhrase`, for the label of a field. More than a space follows a label. */
export const isLabelled = (slice: Slice, at: number, labels: Phrases): boolean =>
  tokenAt(slice, at).gap !== ' ' && isAfterPhrase(slice, at, labels, LABEL);

/** Whether a phrase begins at word `at`, in the same clause as the word before. */
export function isBeforePhrase(slice: Slice, at: number, known: Phrases): boolean {
  const { word, gap } = tokenAt(slice, at);
  if (!beginsOneOf(word, known) || !/^[ ,]{1,2}$/.test(gap)) return false;
  return known.byFirst.get(word.folded)?.some((words) => occursAt(slice, at, words)) === true;
}

/** Whether the words occur from word `at` on. */
export const occursAt = (slice: Slice, at: number, words: readonly string[]): boolean =>
  words.every((word, i) => wordAt(slice, at + i).folded === word);

/** The longest known name of at least two words that begins at `at` and ends at `end` or before. */
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
