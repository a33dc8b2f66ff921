import type { DetectorHits, Signal } from '../detectors/detector.ts';
import { wordsOfFinds } from '../detectors/found-words.ts';
import type { TenantId } from '../kernel/ids.ts';
import { kindLexeme, textLexeme, wordHash } from '../kernel/search-words.ts';
import { isStopWord, words } from '../kernel/words.ts';

/** Only words of the first characters are kept. */
const MAX_CHARACTERS = 1_000_000;
/** Function words do not count, because there are few of them. */
const MAX_WORDS = 800;
/** The first words are kept however rare they are, because a title or first line says what a document is. */
const OPENING_WORDS = 40;

/**
 * The distinct words by which a text is found, as hashes that cannot be read: function words, the words at the start,
 * and the most frequent ones. Words with a digit, and words that a detector found anywhere in the text, are left out,
 * so that no identifier, address or detected name is stored. `found` must hold the hits of all detectors in the whole
 * text.
 */
export function searchedWords(text: string, found: readonly DetectorHits[]): number[] {
  const detected = wordsOfFinds(text, found);
  const counts = new Map<string, number>();
  for (const word of words(text.slice(0, MAX_CHARACTERS))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const kept = [...counts].filter(
    ([word]) => word.length <= 32 && !detected.has(word) && !/\p{N}/u.test(word),
  );
  const content = kept.filter(([word]) => !isStopWord(word));
  const frequent = content.slice(OPENING_WORDS).sort((a, b) => b[1] - a[1]);
  return [
    ...new Set(
      [
        ...kept.filter(([word]) => isStopWord(word)),
        ...[...content.slice(0, OPENING_WORDS), ...frequent].slice(0, MAX_WORDS),
      ].map(([word]) => wordHash(word)),
    ),
  ];
}

type Found = readonly Pick<Signal, 'detectorId'>[];

/**
 * The search terms of an asset besides its names: the words of its text and the kinds of what detectors found.
 * @param signals those that count after suppressions
 */
export const searchLexemes = (
  tenantId: TenantId,
  wordHashes: readonly number[],
  signals: Found,
): string[] => [...wordHashes.map((each) => textLexeme(tenantId, each)), ...kindLexemes(tenantId, signals)];

/** The search terms for the kinds of what detectors found. */
export const kindLexemes = (tenantId: TenantId, signals: Found): string[] => [
  ...new Set(
    signals.flatMap(({ detectorId }) => words(detectorId)).map((word) => kindLexeme(tenantId, word)),
  ),
];
