import type { TenantId } from '../kernel/ids.ts';
import { kindLexeme, searchTag, textLexeme, wordHash } from '../kernel/search-words.ts';
import { isStopWord, stem, words } from '../kernel/words.ts';

/** Shorter words are not searched as prefixes, because too many words begin with them. */
const PREFIX_LENGTH = 3;
/** Transcriptions of umlauts. */
const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue' };

/** A searched word with its spellings. `prefix`: it also matches the beginning of a word in a name. */
export type SoughtWord = { folded: string; spellings: readonly string[]; prefix: boolean };

/** A parsed query: its distinct words, and the folded words of each quoted part with several words. */
export type SearchQuery = { words: readonly SoughtWord[]; phrases: readonly (readonly string[])[] };

/**
 * Parses a query. Quotes make a phrase. Every other character that is neither a letter nor a digit only separates
 * words, and AND, OR and NEAR are ordinary words. The last word may be a prefix, unless a quote ends it.
 */
export function parseQuery(q: string): SearchQuery {
  const folded = words(q);
  const transcribed = words(q.normalize('NFC').replace(/[äöüÄÖÜ]/g, (letter) => UMLAUTS[letter] ?? letter));
  const last = /"\s*$/.test(q) ? undefined : folded.at(-1);
  const distinct = new Map(folded.map((word, nth) => [word, transcribed[nth] ?? word]));
  return {
    words: Array.from(distinct, ([word, transcription]) => ({
      folded: word,
      spellings: [...new Set([word, transcription, word.replace(/([aou])e/g, '$1')].flatMap(inNumber))],
      prefix: word === last && word.length >= PREFIX_LENGTH,
    })),
    phrases: [...q.matchAll(/"([^"]*)"/g)]
      .map(([, part = '']) => words(part))
      .filter(({ length }) => length > 1),
  };
}

/** The words that count when only some of them match: all except function words, none as a prefix. */
export const contentWords = (sought: readonly SoughtWord[]): SoughtWord[] =>
  asWhole(sought.filter(({ folded }) => !isStopWord(folded)));

/** The same words, none as a prefix. */
export const asWhole = (sought: readonly SoughtWord[]): SoughtWord[] =>
  sought.map((word) => ({ ...word, prefix: false }));

/** Singular and plural forms of an English word. */
const inNumber = (folded: string): string[] => {
  const singulars = [stem(folded), ...(/(?:[uio]s|o|z)es$/.test(folded) ? [folded.slice(0, -2)] : [])];
  return [folded, ...singulars.flatMap((singular) => [singular, ...pluralsOf(singular)])];
};

const pluralsOf = (singular: string): string[] => {
  const regular = [`${singular}s`, `${singular}es`, `${singular.slice(0, -1)}ies`].filter(
    (plural) => stem(plural) === singular,
  );
  return /(?:us|is|o|z)$/.test(singular) ? [...regular, `${singular}es`] : regular;
};

/** The prefixes that words of names are compared with. */
export const beginningsOf = (sought: readonly SoughtWord[]): string[] =>
  sought.filter(({ prefix }) => prefix).map(({ folded }) => stem(folded));

/** Whether one of the words of a name matches the searched word. */
export const isAmong = (sought: SoughtWord, nameWords: readonly string[]): boolean => {
  const beginnings = beginningsOf([sought]);
  return nameWords.some(
    (word) => sought.spellings.includes(word) || beginnings.some((beginning) => word.startsWith(beginning)),
  );
};

/** Whether the words of a phrase occur consecutively in a name or a path. */
export const holdsPhrase = (name: string, phrase: readonly string[]): boolean =>
  ` ${words(name).join(' ')} `.includes(` ${phrase.join(' ')} `);

/** Where a word may occur. `kinds`: in the kinds of what detectors found. */
export type Places = { names: boolean; kinds: boolean; texts: boolean };

/**
 * A `tsquery` for a word in any of the places. Its terms consist only of letters, digits and the service's own marks.
 */
export function wordQuery(tenantId: TenantId, word: SoughtWord, { names, kinds, texts }: Places): string {
  const tag = searchTag(tenantId);
  const terms = [
    ...(names
      ? [
          ...beginningsOf([word]).map((beginning) => `'${tag}${beginning}':*`),
          ...word.spellings.map((spelling) => `'${tag}${spelling}'`),
        ]
      : []),
    ...(kinds ? word.spellings.map((spelling) => `'${kindLexeme(tenantId, spelling)}'`) : []),
    ...(texts ? word.spellings.map((spelling) => `'${textLexeme(tenantId, wordHash(spelling))}'`) : []),
  ];
  return `(${[...new Set(terms)].join(' | ')})`;
}
