import { contentTerms } from '../ai/terms.ts';
import { hash32 } from '../kernel/hash.ts';
import { words } from '../kernel/words.ts';

/** The content words of a text as terms, in order. */
export const termsOf = (text: string): string[] => contentTerms(words(text));

/** Pairs of consecutive terms. They distinguish `purchase order` from a purchase and an order. */
export const pairsOf = (terms: readonly string[]): string[] =>
  terms.slice(1).map((term, i) => `${terms[i]} ${term}`);

/** The hash under which a term or a pair is retained. Hashes can be compared but not read. */
export const termHash = (term: string): number => hash32(term);
