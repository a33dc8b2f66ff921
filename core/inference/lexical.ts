import { contentTerms } from '../ai/terms.ts';
import { hash32 } from '../kernel/hash.ts';
import { words } from '../kernel/words.ts';

/** The terms that a text is about, in order. */
export const termsOf = (text: string): string[] => contentTerms(words(text));

/** Pairs of terms that follow each other: what tells `purchase order` from a purchase and an order. */
export const pairsOf = (terms: readonly string[]): string[] =>
  terms.slice(1).map((term, i) => `${terms[i]} ${term}`);

/** A term or a pair as it is retained: a number that compares equal and cannot be read. */
export const termHash = (term: string): number => hash32(term);
