import { z } from 'zod';
import { contentTerms } from '../ai/terms.ts';
import type { Tx } from '../db/tx.ts';
import { notFound } from '../kernel/errors.ts';
import { isStopWord, words, writtenWords } from '../kernel/words.ts';
import { approvedTexts, namesOfConfirmed, namesOfOthers } from './suggest-keywords.sql.ts';

/** The newest documents that names are read of. */
const MOST_CONFIRMED = 1_000;
const MOST_OTHERS = 5_000;
/** A word is suggested if so many confirmed documents have it in their names. */
const LEAST_DOCUMENTS = 3;
/** And if its share of them is so many times its share of the others. */
const LEAST_RATIO = 3;
const LEAST_LETTERS = 3;
const MOST_SUGGESTED = 10;
const EXTENSION = /\.[\p{L}\p{N}]{1,8}$/u;

export const SuggestedKeywordsSchema = z.object({
  informationTypeId: z.string(),
  documents: z.int().describe('Confirmed documents whose names were read, at most 1,000.'),
  others: z.int().describe('Other documents whose names were read, at most 5,000.'),
  keywords: z.array(
    z.object({
      keyword: z.string().describe('As it is spelled in most of the names, in lower case.'),
      documents: z.int().describe('Confirmed documents that have it in their names.'),
      others: z.int().describe('Other documents that have it in their names.'),
    }),
  ),
  note: z.string().nullable().describe('Why there are no suggestions, or null.'),
});
export type SuggestedKeywords = z.infer<typeof SuggestedKeywordsSchema>;

/**
 * Words that are frequent in the names of documents that owners confirmed as a type, rare in other names, and not in the
 * approved texts of the type. Throws `not_found`.
 */
export async function suggestKeywords(tx: Tx, informationTypeId: string): Promise<SuggestedKeywords> {
  const [texts, confirmed, others] = await Promise.all([
    approvedTexts(tx, informationTypeId),
    namesOfConfirmed(tx, informationTypeId, MOST_CONFIRMED),
    namesOfOthers(tx, informationTypeId, MOST_OTHERS),
  ]);
  if (texts === null) throw notFound();
  const keywords = distinctiveWords(confirmed, others, texts);
  return {
    informationTypeId,
    documents: confirmed.length,
    others: others.length,
    keywords,
    note: keywords.length > 0 ? null : whyNone(confirmed.length),
  };
}

const whyNone = (confirmed: number): string =>
  confirmed < LEAST_DOCUMENTS
    ? `Owners have confirmed ${confirmed} documents of this type. Suggestions begin at ${LEAST_DOCUMENTS}.`
    : 'The names of the confirmed documents share no word that is rare elsewhere and missing in the type.';

/** The words that distinguish the names, the most distinctive first. */
export function distinctiveWords(
  names: readonly string[],
  others: readonly string[],
  approved: readonly string[],
): SuggestedKeywords['keywords'] {
  const known = new Set(approved.flatMap((text) => contentTerms(words(text))));
  const inOthers = new Map<string, number>();
  for (const name of others) for (const word of spelledIn(name).keys()) add(inOthers, word);
  const inNames = new Map<string, number>();
  const spellings = new Map<string, Map<string, number>>();
  for (const name of names) {
    for (const [word, spelled] of spelledIn(name)) {
      add(inNames, word);
      const of = spellings.get(word) ?? new Map<string, number>();
      spellings.set(word, of);
      add(of, spelled);
    }
  }
  const share = (documents: number, of: number) => (documents + 0.5) / (of + 1);
  return [...inNames]
    .map(([word, documents]) => {
      const elsewhere = inOthers.get(word) ?? 0;
      const ratio = share(documents, names.length) / share(elsewhere, others.length);
      return { word, documents, others: elsewhere, ratio };
    })
    .filter(({ word, documents, ratio }) => {
      const terms = contentTerms([word]);
      const isKnown = terms.length === 0 || terms.every((term) => known.has(term));
      return documents >= LEAST_DOCUMENTS && ratio >= LEAST_RATIO && !isKnown;
    })
    .sort(
      (a, b) =>
        b.documents * Math.log(b.ratio) - a.documents * Math.log(a.ratio) || (a.word < b.word ? -1 : 1),
    )
    .slice(0, MOST_SUGGESTED)
    .map(({ word, documents, others: elsewhere }) => ({
      keyword: mostFrequent(spellings.get(word) ?? new Map()) ?? word,
      documents,
      others: elsewhere,
    }));
}

/** The words of a file name without its extension: folded, to how each is spelled. */
function spelledIn(name: string): Map<string, string> {
  const written = writtenWords(name.replace(EXTENSION, ''));
  return new Map(
    written
      .filter(({ folded }) => folded.length >= LEAST_LETTERS && !isStopWord(folded) && !/\p{N}/u.test(folded))
      .map(({ folded, written: spelled }) => [folded, spelled.toLowerCase()]),
  );
}

const add = (counts: Map<string, number>, word: string) => counts.set(word, (counts.get(word) ?? 0) + 1);

const mostFrequent = (counts: ReadonlyMap<string, number>): string | undefined =>
  [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0];
