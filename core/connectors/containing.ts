import { words } from '../kernel/words.ts';

/** Those of which each word of the text begins a word; nobody where the text has no word. */
export function containing<T>(text: string, all: readonly T[], textsOf: (one: T) => string[]): T[] {
  const asked = words(text);
  if (asked.length === 0) return [];
  return all.filter((one) => {
    const theirs = textsOf(one).flatMap(words);
    return asked.every((word) => theirs.some((their) => their.startsWith(word)));
  });
}

/** The texts of a person by which a directory finds them. */
export const textsOfPerson = (person: {
  displayName: string;
  email: string | null;
  department: string;
}): string[] => [person.displayName, person.email ?? '', person.department];
