import { fold, isStopWord, stem, words } from '../kernel/words.ts';

/** A domain as others are told that its name is like theirs. */
export type NamedDomain = { domainId: string; name: string };

/** Words of a name that are compared; what comes after them says nothing more. */
const MAX_WORDS = 12;
/** Names that one is told to be like. */
const MAX_SIMILAR = 10;
/** So many letters an abbreviation has: each is the first one of a word. */
const ABBREVIATION = { least: 2, most: 5 };
/** In a word of so many letters one that is missing, added, changed or swapped with the next is taken for a slip. */
const LETTERS_OF_A_SLIP = 8;

/** What stands between the parts of a name, as in `Legal & Compliance`. */
const BETWEEN_PARTS = /[&+,;:/|()[\]]|\s[-–—]\s/u;
const JOINING = new Set(['and', 'und', 'et', 'y', 'e', 'ed', 'en', 'oraz', 'och', 'og']);
/** Words that say how people are organized, and nothing of their field. */
const ORGANIZING = new Set(
  'department dept division team group unit office function management'.split(' ').map(stem),
);
/** `R&D`, `H & S`, `I.T.`: letters that stand alone are one abbreviation. */
const SPELLED_OUT = /(?<![\p{L}\p{N}])\p{L}(?:\s*[.&+/]\s*\p{L}(?![\p{L}\p{N}]))+/gu;
/** `E-Commerce`, `eCommerce`: a letter before a word is part of it. */
const LETTER_BEFORE = /(?<![\p{L}\p{N}])\p{L}(?:-\p{L}{2}|\p{Lu}\p{Ll})/gu;
/** `IT`, `US`: in a name that has small letters too, a word of capitals is an abbreviation and no function word. */
const OF_CAPITALS = /(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu;
const SMALL_LETTER = /\p{Ll}/u;

/** A word that tells something, folded and as its stem, and which part of the name it is in. */
type Word = { text: string; stem: string; part: number };
type ComparableName = {
  words: readonly Word[];
  /** Those that may be abbreviations of words of another name. */
  abbreviations: readonly Word[];
  parts: Parts;
};
/** The stems of each part, without what says nothing of the field unless nothing else is said. */
type Parts = readonly (readonly string[])[];

/**
 * For each of `domains` that is asked about, which of them have a name like its own, in their order and at most ten.
 * Two names are alike
 *
 * - where they have the same words, in any order: function words and plurals make no difference, nor does how words are
 *   joined, nor a slip in a long word;
 * - where one has all parts of the other, as `Finance & Accounting` has `Finance`. A part that ends with another one is a
 *   kind of it: `Corporate Finance` is finance, and `Sales Tax` is tax and not sales;
 * - where one has the initials of words of the other, as `HR` of `Human Resources`.
 *
 * `team`, `department` and their likes say nothing.
 */
export function similarDomains(
  domains: readonly NamedDomain[],
  isAskedAbout: (domainId: string) => boolean,
): Map<string, NamedDomain[]> {
  const names = domains.map(({ domainId, name }) => ({ domainId, name, compared: comparable(name) }));
  return new Map(
    names
      .filter(({ domainId }) => isAskedAbout(domainId))
      .map((each) => [
        each.domainId,
        names
          .filter((other) => other !== each && areAlike(each.compared, other.compared))
          .slice(0, MAX_SIMILAR)
          .map(({ domainId, name }) => ({ domainId, name })),
      ]),
  );
}

function comparable(name: string): ComparableName {
  const spelled = name
    .replace(SPELLED_OUT, (letters) => letters.replace(/[^\p{L}]/gu, ''))
    .replace(LETTER_BEFORE, (letters) => letters.replace('-', '').toLowerCase());
  const capitals = new Set(SMALL_LETTER.test(spelled) ? spelled.match(OF_CAPITALS)?.map(fold) : []);
  const parts = spelled.split(BETWEEN_PARTS).flatMap((part) => splitAt(words(part), JOINING));
  const all = parts.flatMap((part, at) => part.map((text) => ({ text, stem: stem(text), part: at })));
  const telling = all.filter(({ text }) => capitals.has(text) || !isStopWord(text));
  const compared = (telling.length === 0 ? all : telling).slice(0, MAX_WORDS);
  const { least, most } = ABBREVIATION;
  return {
    words: compared,
    abbreviations: compared.filter(({ text }) => text.length >= least && text.length <= most),
    parts: partsOf(compared),
  };
}

function splitAt(list: readonly string[], separators: ReadonlySet<string>): string[][] {
  const parts: string[][] = [[]];
  for (const word of list) {
    if (separators.has(word)) parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts;
}

function areAlike(one: ComparableName, other: ComparableName): boolean {
  const [a, b] = [abbreviated(one, other), abbreviated(other, one)];
  if (a.length === 0 || b.length === 0) return false;
  return haveSameWords(a.flat(), b.flat()) || isCovered(a, b) || isCovered(b, a);
}

/** The parts of a name, with words put as the abbreviation of them that the other one has. */
function abbreviated({ words, parts }: ComparableName, { abbreviations }: ComparableName): Parts {
  let short = words;
  for (const abbreviation of abbreviations) {
    const at = short
      .map(({ text }) => text[0])
      .join('')
      .indexOf(abbreviation.text);
    const first = short[at];
    if (first !== undefined)
      short = short.toSpliced(at, abbreviation.text.length, { ...abbreviation, part: first.part });
  }
  return short === words ? parts : partsOf(short);
}

function partsOf(name: readonly Word[]): Parts {
  const telling = name.filter((word) => !ORGANIZING.has(word.stem));
  const parts = Map.groupBy(telling.length === 0 ? name : telling, ({ part }) => part);
  return [...parts.values()].map((part) => part.map((word) => word.stem));
}

const isCovered = (parts: Parts, by: Parts): boolean =>
  parts.every((part) => by.some((other) => isKindOf(part, other) || isKindOf(other, part)));

const isKindOf = (part: readonly string[], of: readonly string[]): boolean =>
  haveSameWords(part.slice(-of.length), of) || haveSameWords(part, of);

const haveSameWords = (one: readonly string[], other: readonly string[]): boolean =>
  one.join('') === other.join('') ||
  (one.length === other.length && areAllIn(one, other) && areAllIn(other, one));

const areAllIn = (some: readonly string[], others: readonly string[]): boolean =>
  some.every((word) => others.some((other) => word === other || differByASlip(word, other)));

/** Slips are seldom in the first letter, and words that differ there are others: `equality`, `quality`. */
function differByASlip(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < LETTERS_OF_A_SLIP || long.length - short.length > 1 || short[0] !== long[0])
    return false;
  const at = [...short].findIndex((letter, index) => letter !== long[index]);
  if (at < 0) return true;
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  return (
    short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2)
  );
}
