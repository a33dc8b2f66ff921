import { isConceptTerm } from '../ai/knowledge/concept-terms.ts';
import { fold } from '../kernel/words.ts';
import { termHash, termsOf } from './lexical.ts';

/** Words as a document spells them, which may be shown as its words. The most frequent come first. */
export type Spellings = { text: readonly string[]; title: readonly string[] };

/** Spellings are taken from this many characters of a text. */
const MAX_CHARACTERS = 200_000;
const MAX_WORDS = 96;
const LONGEST = 32;
const WORD = /[\p{L}\p{N}\p{M}]{1,64}/gu;

/** The words of a text as they are written, with repetitions. */
const writtenIn = (text: string): string[] => text.match(WORD) ?? [];

/**
 * The spellings to keep of a text: of words of business language and of the approved texts only, so that no name or value
 * is kept. One for each term.
 * @param title lines in which a title is expected
 * @param found folded words that detectors found; see `wordsOfFinds`
 * @param vocabulary hashes of the terms of the approved texts
 */
export function spellingsOf(
  text: string,
  title: readonly string[],
  found: ReadonlySet<string>,
  vocabulary: readonly number[],
): Spellings {
  const approved = new Set(vocabulary);
  const mayBeKept = (written: string) => {
    const terms = written.length > LONGEST || found.has(fold(written)) ? [] : termsOf(written);
    return terms.length > 0 && terms.every((term) => isConceptTerm(term) || approved.has(termHash(term)));
  };
  return {
    text: onePerTerm(byFrequency(writtenIn(text.slice(0, MAX_CHARACTERS))), mayBeKept),
    title: onePerTerm(new Set(title.flatMap(writtenIn)), mayBeKept),
  };
}

function byFrequency(written: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of written) counts.set(word, (counts.get(word) ?? 0) + 1);
  // Of equally frequent words the earlier ones are first.
  return [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
}

function onePerTerm(words: Iterable<string>, mayBeKept: (written: string) => boolean): string[] {
  const kept: string[] = [];
  const known = new Set<string>();
  for (const word of words) {
    if (kept.length === MAX_WORDS) break;
    if (!mayBeKept(word)) continue;
    const terms = termsOf(word);
    if (terms.every((term) => known.has(term))) continue;
    for (const term of terms) known.add(term);
    kept.push(word);
  }
  return kept;
}

/** Words that are there, and approved words whose meaning is there in a spelling that is not known. */
export type Quoted = { words: string[]; meant: string[] };

/**
 * Spells approved words as a document does, without repetition.
 * @param approved words of the approved texts, as in the evidence of a contribution
 * @param written what the document spells: its retained spellings, or the text of its name
 */
export function quote(approved: readonly string[], written: readonly string[] | string): Quoted {
  const spelled = new Map<string, string>();
  for (const word of typeof written === 'string' ? writtenIn(written) : written) {
    for (const term of termsOf(word)) if (!spelled.has(term)) spelled.set(term, word);
  }
  const words = new Map<string, string>();
  const meant: string[] = [];
  for (const each of approved) {
    const found = termsOf(each).flatMap((term) => spelled.get(term) ?? []);
    for (const word of found) if (!words.has(fold(word))) words.set(fold(word), word);
    if (found.length === 0) meant.push(each);
  }
  return { words: [...words.values()], meant: [...new Set(meant)] };
}
