import type { DirectoryPerson, ListedPerson } from '../connectors/directory.ts';
import { fold } from '../kernel/words.ts';
import type { KnownPerson } from './owner-evidence.sql.ts';
import type { GoesBy } from './source-identity.ts';

/** Somebody who may be suggested as an owner: known to the service (`principalId`), to the directory, or to a source alone. */
export type Nominee = GoesBy &
  Pick<KnownPerson, 'displayName' | 'title' | 'department' | 'mayOwn' | 'holdsRole' | 'currentKinds'> & {
    principalId: string | null;
    directoryId: string | null;
  };

/**
 * Everybody once: who is known and found in the directory goes by what both say. Whom a source lists is somebody else only if
 * nobody of them has the address.
 */
export function nomineesOf(
  known: readonly KnownPerson[],
  found: readonly DirectoryPerson[],
  listed: readonly ListedPerson[] = [],
): Nominee[] {
  const foundById = new Map(found.map((person) => [person.directoryId, person]));
  const nominees = known.map(({ email, idpSubject, ...person }): Nominee => {
    const { directoryId, displayName } = person;
    const same = directoryId === null ? undefined : foundById.get(directoryId);
    return {
      ...person,
      ids: texts(idpSubject, directoryId),
      mails: texts(email, same?.email),
      names: texts(displayName, same?.displayName),
    };
  });
  const knownIds = new Set(known.map(({ directoryId }) => directoryId));
  const strangers = [...foundById.values()].filter(({ directoryId }) => !knownIds.has(directoryId));
  const identified = [
    ...nominees,
    ...strangers.map(({ email, ...person }) => stranger(person, [person.directoryId], texts(email))),
  ];
  const taken = new Set(identified.flatMap(({ mails }) => mails.map(fold)));
  const byAddress = new Map(
    listed.map(({ email, ...person }) => [
      fold(email),
      stranger({ ...person, directoryId: null }, [], [email]),
    ]),
  );
  return [...identified, ...[...byAddress].flatMap(([address, one]) => (taken.has(address) ? [] : [one]))];
}

const stranger = (
  person: Pick<Nominee, 'directoryId' | 'displayName' | 'title' | 'department'>,
  ids: string[],
  mails: string[],
): Nominee => ({
  ...person,
  ...{ principalId: null, mayOwn: true, holdsRole: false, currentKinds: [] },
  ...{ ids, mails, names: [person.displayName] },
});

const texts = (...some: (string | null | undefined)[]): string[] =>
  some.filter((text) => text !== null && text !== undefined);
