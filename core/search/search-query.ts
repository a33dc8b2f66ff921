import type { TenantId } from '../kernel/ids.ts';
import { kindLexeme, searchTag, textLexeme, wordHash } from '../kernel/search-words.ts';
import { isStopWord, stem, words } from '../kernel/words.ts';

/** A shorter word is not taken for the beginning of a word: too many begin so. */
const PREFIX_LENGTH = 3;
/** As a word is also written where there is no key for it. */
const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue' };

/** A word that is sought, in each way in which it may be written. `prefix`: as the beginning of a word of a name too. */
export type SoughtWord = { folded: string; spellings: readonly string[]; prefix: boolean };

/** What a person typed: its distinct words, and the folded words of each part in quotes that has several. */
export type SearchQuery = { words: readonly SoughtWord[]; phrases: readonly (readonly string[])[] };

/**
 * Quotes hold words together; every other character that is neither a letter nor a digit separates words and does nothing
 * else, and so AND, OR and NEAR are words like others. The last word may be unfinished, unless a quote ends it.
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

/** The words by which an asset may be found that lacks others: all but function words, each of them finished. */
export const contentWords = (sought: readonly SoughtWord[]): SoughtWord[] =>
  asWhole(sought.filter(({ folded }) => !isStopWord(folded)));

/** The same words, each of them finished. */
export const asWhole = (sought: readonly SoughtWord[]): SoughtWord[] =>
  sought.map((word) => ({ ...word, prefix: false }));

/** An English word as it is written, in the singular and in the plural. */
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

/** How words of names begin that are taken for what is sought. */
export const beginningsOf = (sought: readonly SoughtWord[]): string[] =>
  sought.filter(({ prefix }) => prefix).map(({ folded }) => stem(folded));

/** Whether one of a name's words is the one that is sought. */
export const isAmong = (sought: SoughtWord, nameWords: readonly string[]): boolean => {
  const beginnings = beginningsOf([sought]);
  return nameWords.some(
    (word) => sought.spellings.includes(word) || beginnings.some((beginning) => word.startsWith(beginning)),
  );
};

/** Whether the words of a phrase follow each other in a name or a path. */
export const holdsPhrase = (name: string, phrase: readonly string[]): boolean =>
  ` ${words(name).join(' ')} `.includes(` ${phrase.join(' ')} `);

/** Where a word may stand. `kinds`: among the kinds of what detectors found. */
export type Places = { names: boolean; kinds: boolean; texts: boolean };

/** A `tsquery` of the word in one of the places. Its terms are letters, digits and marks of ours alone. */
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
