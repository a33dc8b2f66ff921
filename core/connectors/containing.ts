import { fold, words } from '../kernel/words.ts';
import type { DirectoryPerson } from './directory.ts';

/** The words of a text. A name such as `McDonald` is one. */
const wordsOf = (text: string): string[] => words(fold(text));

/** Those of which each word of the text begins a word; nobody where the text has no word. */
export function containing<T>(text: string, all: readonly T[], textsOf: (one: T) => string[]): T[] {
  const asked = wordsOf(text);
  if (asked.length === 0) return [];
  return all.filter((one) => {
    const theirs = textsOf(one).flatMap(wordsOf);
    return asked.every((word) => theirs.some((their) => their.startsWith(word)));
  });
}

/** A name as a vendor has it: `O'Brien`, `Anne-Marie` and an address are one. It begins and ends with a letter or digit. */
const PART = /[\p{L}\p{N}\p{M}]+(?:['’.@_-][\p{L}\p{N}\p{M}]+)*/gu;

/** The longest part of a text between blanks. Of all signs that could end a query it holds an apostrophe alone. */
export const longestPart = (text: string): string | null =>
  (text.match(PART) ?? []).reduce<string | null>(
    (longest, part) => (part.length > (longest?.length ?? 0) ? part : longest),
    null,
  );

export const byName = (a: { displayName: string }, b: { displayName: string }) =>
  a.displayName.localeCompare(b.displayName, 'en');

/** Each person once, in the order of names. */
export const inOrder = (people: readonly DirectoryPerson[]): DirectoryPerson[] =>
  [...new Map(people.map((person) => [person.directoryId, person])).values()].sort(byName);

/** The texts of a person by which a directory finds them. */
export const textsOfPerson = (person: {
  displayName: string;
  email: string | null;
  department: string;
}): string[] => [person.displayName, person.email ?? '', person.department];
