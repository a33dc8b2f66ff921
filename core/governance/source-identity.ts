import { accountNameIn, mailIn, nameKey } from '../kernel/account-name.ts';
import { fold } from '../kernel/words.ts';

/** By what somebody in a source was taken for a person. */
export type MatchedBy = 'directory' | 'mail' | 'display_name' | 'account_name';

/** What a person goes by, in the service and in the directory. */
export type GoesBy = { ids: readonly string[]; mails: readonly string[]; names: readonly string[] };

/** Finds whom a source means, by exact agreement only; null where nobody agrees or more than one does. */
export function createMatcher<P extends GoesBy>(
  people: readonly P[],
): (identity: string) => { person: P; by: MatchedBy } | null {
  const byId = uniqueBy(people, ({ ids }) => ids.map(fold));
  const byMail = uniqueBy(people, ({ mails }) => mails.map(fold));
  const byName = uniqueBy(people, ({ names }) => names.map(nameKey));
  return (identity) => {
    const identified = byId.get(fold(identity));
    if (identified) return { person: identified, by: 'directory' };
    const reached = byMail.get(mailIn(identity) ?? '');
    if (reached) return { person: reached, by: 'mail' };
    const account = accountNameIn(identity);
    const key = nameKey(account);
    const named = byName.get(key);
    if (!named) return null;
    if (account === identity) return { person: named, by: 'display_name' };
    // One word of an account is a given name or a nickname, and many have the same.
    return key.includes(' ') ? { person: named, by: 'account_name' } : null;
  };
}

/** Those whom a key names alone. */
function uniqueBy<P>(people: readonly P[], keysOf: (person: P) => string[]): Map<string, P | null> {
  const found = new Map<string, P | null>();
  for (const person of people) {
    for (const key of new Set(keysOf(person))) {
      if (key !== '') found.set(key, found.has(key) ? null : person);
    }
  }
  return found;
}
