import { fold, words } from '../kernel/words.ts';

/** How a name in a source was matched with a person whom the service knows. */
export type MatchedBy = 'directory' | 'display_name' | 'account_name';

type Identified = { displayName: string; idpSubject: string | null };

/**
 * Matches names of a source with people, by exact agreement only. The result is null if no person or more than one
 * matches.
 */
export function createMatcher<P extends Identified>(
  people: readonly P[],
): (identity: string) => { person: P; by: MatchedBy } | null {
  const bySubject = uniqueBy(people, ({ idpSubject }) => idpSubject && fold(idpSubject));
  const byName = uniqueBy(people, ({ displayName }) => nameKey(displayName));
  return (identity) => {
    const subject = bySubject.get(fold(identity));
    if (subject) return { person: subject, by: 'directory' };
    const account = accountIn(identity);
    const key = nameKey(account);
    const person = byName.get(key);
    if (!person) return null;
    if (account === identity) return { person, by: 'display_name' };
    // A single word is a given name or a nickname, which many people share.
    return key.includes(' ') ? { person, by: 'account_name' } : null;
  };
}

/** The account without `DOMAIN\` or a claim before it, and without the mail domain after it. */
function accountIn(identity: string): string {
  const start = Math.max(identity.lastIndexOf('|'), identity.lastIndexOf('\\')) + 1;
  const at = identity.indexOf('@', start);
  return identity.slice(start, at === -1 ? undefined : at);
}

/**
 * The words of a name in any order and case, without accents: `Okafor, Amara` and `amara.okafor` have the same key.
 */
const nameKey = (name: string): string => words(fold(name)).sort().join(' ');

/** Maps each key to its person, or to null if several people share it. */
function uniqueBy<P>(people: readonly P[], keyOf: (person: P) => string | null): Map<string, P | null> {
  const found = new Map<string, P | null>();
  for (const person of people) {
    const key = keyOf(person);
    if (key) found.set(key, found.has(key) ? null : person);
  }
  return found;
}
