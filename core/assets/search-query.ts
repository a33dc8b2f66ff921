import type { TenantId } from '../kernel/ids.ts';
import { domainLexeme, kindLexeme, searchTag, textLexeme, wordHash } from '../kernel/search-words.ts';
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

/**
 * A `tsquery` over `asset_search.words`: each of the words in name, path or format, among the kinds of what detectors
 * found, or in the text where texts are searched. Made of letters, digits and marks of ours alone.
 * @param domainIds names count where the asset is tied to one of these; null: all names
 */
export function toTsquery(
  tenantId: TenantId,
  sought: readonly SoughtWord[],
  { inTexts, domainIds }: { inTexts: boolean; domainIds: readonly string[] | null },
): string {
  const tag = searchTag(tenantId);
  const named = (word: string): string[] =>
    domainIds === null ? [tag + word] : domainIds.map((domainId) => domainLexeme(tenantId, domainId, word));
  return sought
    .map((word) => {
      const { folded } = word;
      const beginnings = beginningsOf([word]);
      const whole = spellings(folded).filter(
        (spelling) => !beginnings.some((each) => spelling.startsWith(each)),
      );
      const lexemes = [
        ...whole.flatMap(named),
        kindLexeme(tenantId, folded),
        ...(inTexts ? [textLexeme(tenantId, wordHash(folded))] : []),
      ];
      return `(${[...beginnings.flatMap(named).map((each) => `'${each}':*`), ...lexemes.map((each) => `'${each}'`)].join(' | ')})`;
    })
    .join(' & ');
}
