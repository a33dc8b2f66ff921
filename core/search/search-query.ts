import type { TenantId } from '../kernel/ids.ts';
import { kindLexeme, searchTag, textLexeme, wordHash } from '../kernel/search-words.ts';
import { isStopWord, stem, writtenWords } from '../kernel/words.ts';
import { inBothNumbers, transcriptionsOf } from './spellings.ts';

/** Shorter words are not searched as prefixes, because too many words begin with them. */
const PREFIX_LENGTH = 3;

/** A searched word with its spellings. `beginnings`: prefixes of words in names that match too; empty for a whole word. */
export type SoughtWord = { folded: string; spellings: readonly string[]; beginnings: readonly string[] };

/** A parsed query: its distinct words outside of phrases, and the words of each quoted part with several words. */
export type SearchQuery = { words: readonly SoughtWord[]; phrases: readonly (readonly SoughtWord[])[] };

/**
 * Parses a query. Quotes make a phrase. Every other character that is neither a letter nor a digit only separates
 * words, and AND, OR and NEAR are ordinary words. The last word may be a prefix, unless a quote ends it.
 */
export function parseQuery(q: string): SearchQuery {
  const phrases: SoughtWord[][] = [];
  const others = q.replace(/"([^"]*)"/g, (quoted, part: string) => {
    const sought = soughtWords(part).map(asWholeWord);
    if (sought.length < 2) return quoted;
    phrases.push(sought);
    return '""';
  });
  const words = soughtWords(others);
  const last = /"[^\p{L}\p{N}]*$/u.test(others) ? undefined : words.at(-1);
  const each = words.map((word) => (word === last ? word : asWholeWord(word)));
  return { words: [...new Map(each.map((word) => [word.spellings.join(' '), word])).values()], phrases };
}

const soughtWords = (text: string): SoughtWord[] =>
  writtenWords(text).map(({ folded, written }) => {
    const transcriptions = transcriptionsOf(written);
    return {
      folded,
      spellings: [...new Set(transcriptions.flatMap(inBothNumbers))],
      beginnings: folded.length < PREFIX_LENGTH ? [] : transcriptions.flatMap(beginningsOf(folded)),
    };
  });

/** Prefixes for one transcription. One that is shorter than the typed word matches more, so it must be longer. */
const beginningsOf = (folded: string) => (transcription: string) =>
  [...new Set([transcription, stem(transcription)])].filter(
    ({ length }) => length >= (length < folded.length ? PREFIX_LENGTH + 1 : PREFIX_LENGTH),
  );

/** The words that count when only some of them match: all except function words, none as a prefix. */
export const contentWords = (sought: readonly SoughtWord[]): SoughtWord[] =>
  asWhole(sought.filter(({ folded }) => !isStopWord(folded)));

const asWholeWord = (word: SoughtWord): SoughtWord => ({ ...word, beginnings: [] });

/** The same words, none as a prefix. */
export const asWhole = (sought: readonly SoughtWord[]): SoughtWord[] => sought.map(asWholeWord);

/** Whether one of the words of a name matches the searched word. */
export const isAmong = ({ spellings, beginnings }: SoughtWord, nameWords: readonly string[]): boolean =>
  nameWords.some(
    (word) => spellings.includes(word) || beginnings.some((beginning) => word.startsWith(beginning)),
  );

/** Whether the words of a phrase occur consecutively among the words of a name or a path. */
export const holdsPhrase = (nameWords: readonly string[], phrase: readonly SoughtWord[]): boolean =>
  nameWords.some((_, at) =>
    phrase.every(({ spellings }, nth) => spellings.includes(nameWords[at + nth] ?? '')),
  );

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
          ...word.beginnings.map((beginning) => `'${tag}${beginning}':*`),
          ...word.spellings.map((spelling) => `'${tag}${spelling}'`),
        ]
      : []),
    ...(kinds ? word.spellings.map((spelling) => `'${kindLexeme(tenantId, spelling)}'`) : []),
    ...(texts ? word.spellings.map((spelling) => `'${textLexeme(tenantId, wordHash(spelling))}'`) : []),
  ];
  return `(${[...new Set(terms)].join(' | ')})`;
}
