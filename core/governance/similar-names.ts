import { fold, isStopWord, stem, words } from '../kernel/words.ts';

/** A domain with a similar name. */
export type NamedDomain = { domainId: string; name: string };

/** Further words of a name are ignored. */
const MAX_WORDS = 12;
/** Maximum number of similar names in an answer. */
const MAX_SIMILAR = 10;
/** Number of letters in an abbreviation. Each is the first letter of a word. */
const ABBREVIATION = { least: 2, most: 5 };
/**
 * In words of at least this length, one letter that is missing, added, changed or swapped with the next is a typing
 * error.
 */
const LETTERS_OF_A_SLIP = 8;

/** Separators between the parts of a name, as in `Legal & Compliance`. */
const BETWEEN_PARTS = /[&+,;:/|()[\]]|\s[-–—]\s/u;
const JOINING = new Set(['and', 'und', 'et', 'y', 'e', 'ed', 'en', 'oraz', 'och', 'og']);
/** Words for organizational units. They do not describe a field. */
const ORGANIZING = new Set(
  'department dept division team group unit office function management'.split(' ').map(stem),
);
/** `R&D`, `H & S`, `I.T.`: single letters in a row form one abbreviation. */
const SPELLED_OUT = /(?<![\p{L}\p{N}])\p{L}(?:\s*[.&+/]\s*\p{L}(?![\p{L}\p{N}]))+/gu;
/** `E-Commerce`, `eCommerce`: a letter before a word belongs to it. */
const LETTER_BEFORE = /(?<![\p{L}\p{N}])\p{L}(?:-\p{L}{2}|\p{Lu}\p{Ll})/gu;
/**
 * `IT`, `US`: in a name that also has small letters, a word in capitals is an abbreviation and not a function word.
 */
const OF_CAPITALS = /(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu;
const SMALL_LETTER = /\p{Ll}/u;

/** A content word of a name, folded and stemmed, with the part of the name that it is in. */
type Word = { text: string; stem: string; part: number };
type ComparableName = {
  words: readonly Word[];
  /** The words that may abbreviate words of another name. */
  abbreviations: readonly Word[];
  parts: Parts;
};
/** The stems of each part. Words for organizational units are left out, unless there are no others. */
type Parts = readonly (readonly string[])[];

/**
 * Finds the domains with names similar to those of the domains that are asked about: at most ten each, in the order
 * of `domains`. Two names are similar
 *
 * - if they have the same words in any order. Function words, plurals, separators and a typing error in a long word
 *   make no difference;
 * - if one has all parts of the other, as `Finance & Accounting` has `Finance`. A part that ends with another part is
 *   a kind of it: `Corporate Finance` is finance, and `Sales Tax` is tax and not sales;
 * - if one contains the initials of words of the other, as `HR` does for `Human Resources`.
 *
 * Words such as `team` and `department` are ignored.
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
  const distinctive = all.filter(({ text }) => capitals.has(text) || !isStopWord(text));
  const compared = (distinctive.length === 0 ? all : distinctive).slice(0, MAX_WORDS);
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

/** The parts of a name, after words that the other name abbreviates are replaced by the abbreviation. */
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
  const distinctive = name.filter((word) => !ORGANIZING.has(word.stem));
  const parts = Map.groupBy(distinctive.length === 0 ? name : distinctive, ({ part }) => part);
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

/**
 * The first letter must be the same: words that differ there are different words, such as `equality` and `quality`.
 */
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
