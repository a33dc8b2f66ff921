import { fold, stem } from '../../kernel/words.ts';
import { CONCEPTS } from './concepts.ts';

type Terms = readonly string[];

/** Endings of German, French and Spanish nouns and adjectives. */
const ENDINGS = ['s', 'e', 'n', 'x', 'en', 'er', 'es', 'em', 'in', 'ern', 'innen'];
/** Linking letters between the parts of a German compound. */
const LINKS = ['s', 'n', 'en', 'es'];
const LEAST_COMPOUND = 8;
const LEAST_PART = 4;
/** The fewest letters of a known part beside an unknown one: as the last part, or as the first part without a link. */
const LEAST_LAST = 6;
const LEAST_UNLINKED = 10;
const LEAST_UNKNOWN = 3;
/** German nouns with these endings have no other plural. */
const GERMAN_PLURAL = /(?:ung|heit|keit|schaft|tat|ion)en$/;
const LETTERS = /^[a-z]+$/;

const concepts = new Set<string>();
const english = new Map<string, Terms>();
/** Words of the other languages with each of their endings. */
const foreign = new Map<string, Terms>();
/** German words by their position in a compound: last, first, or first with a link. */
const lastParts = new Map<string, Terms>();
const firstParts = new Map<string, Terms>();
const linkedParts = new Map<string, Terms>();

for (const line of CONCEPTS.trim().split('\n')) {
  const [ours = [], german = [], ...others] = line
    .split('|')
    .map((list) => list.split(',').flatMap((word) => fold(word.trim()) || []));
  const terms = (ours[0] ?? '').split(' ').map(stem);
  for (const term of terms) concepts.add(term);
  for (const word of ours) if (!word.includes(' ')) english.set(stem(word), terms);
  for (const word of [...german, ...others.flat()]) {
    if (!word.startsWith('-')) addForms(foreign, word, ENDINGS, terms);
  }
  for (const word of german) {
    const part = word.replace('-', '');
    addForms(lastParts, part, ENDINGS, terms);
    firstParts.set(part, terms);
    for (const link of LINKS) linkedParts.set(part + link, terms);
  }
}

/** A word that exists without an ending is not treated as a form of another. */
function addForms(forms: Map<string, Terms>, word: string, endings: readonly string[], terms: Terms): void {
  forms.set(word, terms);
  if (word.length < LEAST_PART) return;
  for (const ending of endings) if (!forms.has(word + ending)) forms.set(word + ending, terms);
}

/** Whether a term is one of general business language. */
export const isConceptTerm = (term: string): boolean => concepts.has(term);

/**
 * The terms that a folded word stands for: those of its concept in any language, those of its parts if it is a German
 * compound, or otherwise its stem.
 */
export function conceptTerms(word: string): Terms {
  const singular = stem(word);
  return (
    english.get(singular) ??
    foreign.get(word) ??
    compound(word) ?? [GERMAN_PLURAL.test(word) ? stem(word.slice(0, -2)) : singular]
  );
}

/** The longest known last part wins. The rest can be another compound or unknown. */
function compound(word: string): Terms | undefined {
  if (word.length < LEAST_COMPOUND || !LETTERS.test(word)) return undefined;
  let ofUnknown: Terms | undefined;
  for (let at = LEAST_UNKNOWN; at <= word.length - LEAST_PART; at++) {
    const end = word.slice(at);
    const last = lastParts.get(end);
    if (last === undefined) continue;
    const before = word.slice(0, at);
    const first = firstParts.get(before) ?? linkedParts.get(before) ?? compound(before);
    if (first !== undefined) return [...first, ...last];
    if (end.length >= LEAST_LAST && foreign.has(end)) ofUnknown ??= [stem(before), ...last];
  }
  return ofUnknown ?? beforeUnknown(word);
}

/** The longest known first part, with an unknown rest. */
function beforeUnknown(word: string): Terms | undefined {
  for (let at = word.length - LEAST_UNKNOWN; at > LEAST_PART; at--) {
    const part = word.slice(0, at);
    const first =
      at < LEAST_UNLINKED ? linkedParts.get(part) : (firstParts.get(part) ?? linkedParts.get(part));
    if (first !== undefined) return [...first, stem(word.slice(at))];
  }
  return undefined;
}
