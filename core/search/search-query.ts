import type { TenantId } from '../kernel/ids.ts';
import { kindLexeme, searchTag, textLexeme, wordHash } from '../kernel/search-words.ts';
import { stem, words } from '../kernel/words.ts';

/** What is shorter is not taken for the beginning of a word: too many begin so. */
const PREFIX_LENGTH = 3;

/** A word that is sought: `prefix`, as the beginning of a word of a name too. */
export type SoughtWord = { folded: string; prefix: boolean };

/**
 * The distinct words of what a person typed. Whatever is neither a letter nor a digit separates them and does nothing
 * else, and so AND, OR and NEAR are words like others. The last one may be unfinished.
 */
export function soughtWords(q: string): SoughtWord[] {
  const all = words(q);
  const last = all.at(-1);
  return [...new Set(all)].map((folded) => ({
    folded,
    prefix: folded === last && folded.length >= PREFIX_LENGTH,
  }));
}

/** The same words, each of them finished. */
export const asWhole = (sought: readonly SoughtWord[]): SoughtWord[] =>
  sought.map(({ folded }) => ({ folded, prefix: false }));

/** The word as it may stand in a name: as it was typed, in the singular, in the plural. */
export const spellings = (folded: string): string[] => {
  const singular = stem(folded);
  const plurals = [`${singular}s`, `${singular}es`, `${singular.slice(0, -1)}ies`];
  // Of `bonuses` and `vetoes` the stem is another.
  const isPlural = (word: string) => stem(word) === singular || /(?:us|o)es$/.test(word);
  return [...new Set([folded, singular, ...plurals.filter(isPlural)])];
};

/** How words of names begin that are taken for what is sought. */
export const beginningsOf = (sought: readonly SoughtWord[]): string[] =>
  sought.filter(({ prefix }) => prefix).map(({ folded }) => stem(folded));

/** Whether one of a name's words is the one that is sought. */
export const isAmong = (sought: SoughtWord, nameWords: readonly string[]): boolean => {
  const spelled = spellings(sought.folded);
  const beginnings = beginningsOf([sought]);
  return nameWords.some(
    (word) => spelled.includes(word) || beginnings.some((beginning) => word.startsWith(beginning)),
  );
};

/** Lexemes of the index from one to another; nearly always the same, but all that begin alike for an unfinished word. */
export type Term = { from: string; to: string };

const LAST_CHARACTER = '\u{10ffff}';

const exactly = (lexeme: string): Term => ({ from: lexeme, to: lexeme });
const beginningWith = (lexeme: string): Term => ({ from: lexeme, to: lexeme + LAST_CHARACTER });

/**
 * What the word stands in the index as: in name, path or format, among the kinds of what detectors found, or in the text
 * where texts are searched. Made of letters, digits and marks of ours alone.
 */
export function wordTerms(tenantId: TenantId, word: SoughtWord, { inTexts }: { inTexts: boolean }): Term[] {
  const tag = searchTag(tenantId);
  const { folded } = word;
  const beginnings = beginningsOf([word]);
  const whole = spellings(folded).filter((spelling) => !beginnings.some((each) => spelling.startsWith(each)));
  return [
    ...beginnings.map((each) => beginningWith(tag + each)),
    ...whole.map((each) => exactly(tag + each)),
    exactly(kindLexeme(tenantId, folded)),
    ...(inTexts ? [exactly(textLexeme(tenantId, wordHash(folded)))] : []),
  ];
}

/** A `tsquery` of one term of each group; empty where there are no groups. */
export const toTsquery = (groups: readonly (readonly Term[])[]): string =>
  groups
    .map((terms) => `(${terms.map(({ from, to }) => `'${from}'${from === to ? '' : ':*'}`).join(' | ')})`)
    .join(' & ');
