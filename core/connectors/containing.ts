import { words } from '../kernel/words.ts';
import type { DirectoryPerson } from './directory.ts';

/** Those of which each word of the text begins a word; nobody where the text has no word. */
export function containing<T>(text: string, all: readonly T[], textsOf: (one: T) => string[]): T[] {
  const asked = words(text);
  if (asked.length === 0) return [];
  return all.filter((one) => {
    const theirs = textsOf(one).flatMap(words);
    return asked.every((word) => theirs.some((their) => their.startsWith(word)));
  });
}

/** The longest word of a text. Words hold letters and digits alone, so nothing of the text can end a query. */
export const longestWord = (text: string): string | null =>
  words(text).reduce<string | null>(
    (longest, word) => (word.length > (longest?.length ?? 0) ? word : longest),
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
