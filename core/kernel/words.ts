import { type Language, STOP_WORDS } from './stop-words.ts';

const WORD = /[\p{L}\p{N}]{1,64}/gu;
const BEYOND_ASCII = /[\u0080-\uffff]/;
const MARKS = /\p{M}/gu;
const CAMEL_CASE = /(\p{Lowercase})(\p{Uppercase})/gu;
const WRITTEN_WORD = /[\p{L}\p{N}\p{M}]+/gu;
const NOT_DECOMPOSED: Readonly<Record<string, string>> = {
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
};
const EVERY_STOP_WORD = new Set(Object.values(STOP_WORDS).flat());

/** Lower case without accents, so that a word compares equal however it is written. */
export const fold = (text: string): string =>
  BEYOND_ASCII.test(text)
    ? text
        .normalize('NFKD')
        .replace(MARKS, '')
        // The lower case of a sigma would depend on the characters that follow it.
        .replaceAll('Σ', 'σ')
        .toLowerCase()
        .replace(/[ßłøæœđ]/g, (letter) => NOT_DECOMPOSED[letter] ?? letter)
    : text.toLowerCase();

const parted = (text: string): string => text.replace(CAMEL_CASE, '$1 $2');

/** The folded words of a text in order; `dateOfBirth` and `date_of_birth` are three words each. */
export const words = (text: string): string[] => fold(parted(text)).match(WORD) ?? [];

/**
 * The words of a text in order, folded and as they are written. What is over the length of a word is several, each of
 * which counts as written so.
 */
export const writtenWords = (text: string): { folded: string; written: string }[] =>
  (parted(text).normalize('NFKC').match(WRITTEN_WORD) ?? []).flatMap((written) => {
    const all = fold(written).match(WORD) ?? [];
    return all.map((folded) => ({ folded, written: all.length === 1 ? written : folded }));
  });

export const isStopWord = (folded: string): boolean => EVERY_STOP_WORD.has(folded);

/** The English plural taken off a folded word, no more: enough to let `invoices` meet `invoice`, too little to harm. */
export function stem(folded: string): string {
  // As its plural ends, so that `cookie` meets `cookies`.
  if (folded.length > 4 && folded.endsWith('ie')) return `${folded.slice(0, -2)}y`;
  if (folded.length < 3 || !folded.endsWith('s')) return folded;
  // Of three letters `ads` and `ids` are plurals, `gas` and `yes` are not.
  if (/(?:ss|us|is|^[^s][aeiou]s)$/.test(folded)) return folded;
  if (folded.endsWith('ies')) return `${folded.slice(0, -3)}y`;
  return /(?:x|ch|sh|ss)es$/.test(folded) ? folded.slice(0, -2) : folded.slice(0, -1);
}

/** The language whose function words are the most frequent, or null when there are too few to say. */
export function languageOf(folded: readonly string[]): Language | null {
  const counts = new Map<Language, number>();
  for (const word of folded) {
    for (const language of LANGUAGES_OF_STOP_WORD.get(word) ?? []) {
      counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  const [first, second] = [...counts].sort((a, b) => b[1] - a[1]);
  if (first === undefined || first[1] < 5 || first[1] < 1.2 * (second?.[1] ?? 0)) return null;
  return first[0];
}

const LANGUAGES_OF_STOP_WORD = new Map<string, Language[]>();
for (const [language, list] of Object.entries(STOP_WORDS)) {
  for (const word of list) {
    LANGUAGES_OF_STOP_WORD.set(word, [...(LANGUAGES_OF_STOP_WORD.get(word) ?? []), language as Language]);
  }
}
