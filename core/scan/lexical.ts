import { hash32 } from '../kernel/hash.ts';
import { isStopWord, stem, words } from '../kernel/words.ts';

/**
 * The terms of a text in order: folded, stemmed words that say what it is about, never one with a digit, since those
 * are the values and identifiers of a text.
 */
export const termsOf = (text: string): string[] => contentTerms(words(text));

export const contentTerms = (folded: readonly string[]): string[] =>
  folded
    .filter((word) => word.length > 1 && word.length <= 32 && !isStopWord(word) && !/\p{N}/u.test(word))
    .map(stem);

/** Pairs of terms that follow each other: what tells `purchase order` from a purchase and an order. */
export const pairsOf = (terms: readonly string[]): string[] =>
  terms.slice(1).map((term, i) => `${terms[i]} ${term}`);

/** A term or a pair as it is retained: a number that compares equal and cannot be read. */
export const termHash = (term: string): number => hash32(term);
