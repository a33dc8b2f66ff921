import { isStopWord } from '../kernel/words.ts';
import { conceptTerms } from './knowledge/concept-terms.ts';

/**
 * The terms of folded words in order. Omits stop words, and words with a digit, because they are values and
 * identifiers. Words of one meaning in any language are one term.
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
