import { words } from '../../kernel/words.ts';

/** Folded words with a blank around each, so that ` word ` finds a word and ` wor` finds its beginning. */
export const asPhrase = (text: string): string => ` ${words(text.toLowerCase()).join(' ')} `;
