import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { foldersOf, nameOf, type Place } from '../inference/features.ts';
import { type Contribution, type ContributionName, STARTING_POINT } from '../inference/inference.ts';
import { quote, type Spellings } from '../inference/spellings.ts';
import { strength } from './wording.ts';

/**
 * One reason of the model, for people. `value` is what it adds to the log-odds; it is negative if the reason speaks
 * against the type. All values add up to the log-odds of the confidence. `inWords` states the size of `value`.
 */
export const ReasonSchema = z.object({
  name: z.string(),
  explanation: z.string(),
  inWords: z.string(),
  direction: z.enum(['for', 'against']),
  value: z.number(),
  weight: z.number(),
  score: z.number(),
  evidence: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
});

export type Reason = z.infer<typeof ReasonSchema>;

const EXPLANATIONS: Readonly<Record<ContributionName, string>> = {
  starting_point: 'The starting point: before anything is known of a document, no type is likely',
  outside_taxonomy:
    'How much of what this domain is asked about is not its, by the answers of its owners so far',
  answers_so_far: 'How often owners said lately that questions about this type were right',
  learned_offset: 'What owners answered about this type before, beside the evidence',
  learned_words: 'Words shared with documents that owners confirmed for this type, beside other types',
  detector_signals: 'Identifiers that were found, of the kinds approved as signs of this type',
  indicator_keywords: 'Words in the text that mean keywords which are approved as signs of this type',
  lexical_similarity:
    'Words in the text that mean words of the approved definition, less those that the domain excludes',
  title_words:
    'Words in the title and the first headings that mean words of the approved name and definition',
  embedding_similarity: 'Nearness of the text in meaning to this type, beside the taxonomy at large',
  rival_domains: 'How much nearer the text is to this type than to what other domains govern',
  name_and_path: 'Words in the name and in the folders that mean words of this type',
  location_expectation: 'What the place where it lies is expected to hold',
  second_opinion: 'What the AI provider said of redacted excerpts, asked which type fits',
  thin_text: 'The text is too short to be sure: what it says counts less, and is never taken for certain',
  confirmed_copies: 'What owners said of byte-identical copies',
  confirmed_near_copies: 'What owners said of documents much like it',
};

/** Where the words of an explanation are. */
export type WordSources = Place & { spellings: Spellings | null };

/** Evidence in words of the approved texts, and where they are. */
const WORDS_IN: Readonly<Record<string, (sources: WordSources) => readonly string[] | string>> = {
  keywords: ({ spellings }) => spellings?.text ?? [],
  terms: ({ spellings }) => spellings?.text ?? [],
  excluded: ({ spellings }) => spellings?.text ?? [],
  approvedWords: ({ spellings }) => spellings?.text ?? [],
  title: ({ spellings }) => spellings?.title ?? [],
  name: nameOf,
  path: foldersOf,
};

/**
 * Evidence with words as they are in the document. Approved words whose spelling there is not known have a name of their
 * own (`termsMeant`): the text has words of that meaning.
 */
function spelled(
  key: string,
  words: readonly string[],
  sources: WordSources,
): [key: string, words: string[]][] {
  const where = WORDS_IN[key];
  if (where === undefined) return [[key, [...words]]];
  const written = where(sources);
  const quoted = quote(words, written);
  // The name and the folders are known. What is not there now was in an earlier name.
  const meant = typeof written === 'string' ? [] : quoted.meant;
  return [[key, quoted.words], ...(meant.length > 0 ? [[`${key}Meant`, meant] as [string, string[]]] : [])];
}

/** Every reason of an inference, including the starting point, which former releases did not store. */
export const explainAll = (
  contributions: readonly Contribution[],
  visibility: Visibility,
  sources: WordSources,
): Reason[] =>
  (contributions.some(({ name }) => name === 'starting_point')
    ? contributions
    : [STARTING_POINT, ...contributions]
  ).map((contribution) => explain(contribution, visibility, sources));

/** Explains one contribution. The evidence names no domain that the reader may not see. */
function explain(contribution: Contribution, visibility: Visibility, sources: WordSources): Reason {
  const { name, value, weight, score, evidence } = contribution;
  const { expectedDomainId, ...rest } = evidence;
  const nameable =
    visibility.kind === 'tenant' || visibility.domainIds.some((domainId) => domainId === expectedDomainId);
  return {
    name,
    explanation: EXPLANATIONS[name],
    inWords: strength(value),
    direction: value < 0 ? 'against' : 'for',
    value,
    weight,
    score,
    evidence: Object.fromEntries(
      Object.entries(nameable ? evidence : rest).flatMap(
        ([key, fact]): [string, string | number | string[]][] =>
          typeof fact === 'object' ? spelled(key, fact, sources) : [[key, fact]],
      ),
    ),
  };
}
