import { fold, words } from '../kernel/words.ts';

/** By what somebody in a source was taken for a person whom the service knows. */
export type MatchedBy = 'directory' | 'display_name' | 'account_name';

type Identified = { displayName: string; idpSubject: string | null };

/** Finds whom a source means, by exact agreement only; null where nobody agrees or more than one does. */
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
    // One word of an account is a given name or a nickname, and many have the same.
    return key.includes(' ') ? { person, by: 'account_name' } : null;
  };
}

/** Without `DOMAIN\` or the claim in front of it, and without the mail domain behind it. */
function accountIn(identity: string): string {
  const start = Math.max(identity.lastIndexOf('|'), identity.lastIndexOf('\\')) + 1;
  const at = identity.indexOf('@', start);
  return identity.slice(start, at === -1 ? undefined : at);
}

/** The words of a name, whatever their order, case and accents: `Okafor, Amara` and `amara.okafor` are one. */
const nameKey = (name: string): string => words(fold(name)).sort().join(' ');

/** Those whom the key names alone. */
function uniqueBy<P>(people: readonly P[], keyOf: (person: P) => string | null): Map<string, P | null> {
  const found = new Map<string, P | null>();
  for (const person of people) {
    const key = keyOf(person);
    if (key) found.set(key, found.has(key) ? null : person);
  }
  return found;
}
