import { words } from '../../kernel/words.ts';

/** Folded words with blanks around each, so that a word is found by ` word ` and its beginning by ` wor`. */
export const asPhrase = (text: string): string => ` ${words(text.toLowerCase()).join(' ')} `;
