import { isStopWord } from '../kernel/words.ts';
import { conceptTerms } from './knowledge/concept-terms.ts';

/**
 * The terms of folded words in order: of those that say what a text is about, never of one with a digit, since those are
 * the values and identifiers of a text. Words of one meaning are one term, in whatever language.
 */
export function contentTerms(folded: readonly string[]): string[] {
  const known = new Map<string, readonly string[]>();
  return folded.flatMap((word) => {
    const terms = known.get(word) ?? (isContentWord(word) ? conceptTerms(word) : []);
    known.set(word, terms);
    return terms;
  });
}

const isContentWord = (word: string): boolean =>
  word.length > 1 && word.length <= 32 && !isStopWord(word) && !/\p{N}/u.test(word);
