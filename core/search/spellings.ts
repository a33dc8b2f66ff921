import { fold } from '../kernel/words.ts';

/** Umlauts and their transcriptions, and the two lower-case forms of a final sigma. */
const OTHERWISE: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ae: 'a',
  oe: 'o',
  ue: 'u',
  σ: 'ς',
  ς: 'σ',
};
const WITH_OTHER_WAY = /([äöü]|[aou]e|[σς]$)/iu;
/** Each one doubles the number of spellings. Further ones are searched as they are written. */
const MAX_OTHERWISE = 3;

/** The folded spellings of a word from `writtenWords`: first as it is written, then with umlauts written otherwise. */
export function transcriptionsOf(written: string): string[] {
  // The parts with an odd index are what the pattern captures.
  const parts = written.split(WITH_OTHER_WAY);
  const ways = parts.map((part, nth) => {
    const otherwise = nth % 2 === 1 && nth < 2 * MAX_OTHERWISE ? OTHERWISE[part.toLowerCase()] : undefined;
    return otherwise === undefined ? [fold(part)] : [fold(part), otherwise];
  });
  return ways.reduce((begun, way) => way.flatMap((end) => begun.map((each) => each + end)), ['']);
}

/** Endings of English words in the singular and in the plural, beside the plain `s`. */
const ENDINGS: readonly (readonly [singular: string, plural: string])[] = [
  ['y', 'ies'],
  ...['s', 'x', 'z', 'o', 'ch', 'sh'].map((end) => [end, `${end}es`] as const),
  ['sis', 'ses'],
  ['xis', 'xes'],
];
/** Shorter words are usually other words: `do` is not the singular of `does`. */
const SINGULAR_LENGTH = 3;
/** `is`, `class`, `gas` and `yes` are not plurals; `ids` is one. */
const NO_PLURAL = /^.?s$|(?:ss|^[^s][aeiou]s)$/u;

/** Singular and plural forms of a folded English word, by rule. Some of them are not words. */
export const inBothNumbers = (folded: string): string[] => [
  folded,
  ...(folded.endsWith('s') ? [folded.slice(0, -1)] : [`${folded}s`]).filter(
    (other) => !NO_PLURAL.test(other.length > folded.length ? other : folded),
  ),
  ...ENDINGS.flatMap(([singular, plural]) => [
    ...inPlaceOf(folded, singular, plural),
    ...inPlaceOf(folded, plural, singular),
  ]).filter((other) => Math.min(other.length, folded.length) >= SINGULAR_LENGTH),
];

const inPlaceOf = (word: string, end: string, other: string): string[] =>
  word.endsWith(end) ? [word.slice(0, -end.length) + other] : [];
