import type { DirectoryPerson } from '../connectors/directory.ts';
import type { KnownPerson } from './owner-evidence.sql.ts';
import type { GoesBy } from './source-identity.ts';

/** Somebody who may be suggested as an owner: known to the service (`principalId`), or to the directory alone. */
export type Nominee = GoesBy &
  Pick<KnownPerson, 'displayName' | 'title' | 'department' | 'mayOwn' | 'holdsRole' | 'currentKinds'> & {
    principalId: string | null;
    directoryId: string | null;
  };

/** Everybody once: who is known and found in the directory goes by what both say. */
export function nomineesOf(known: readonly KnownPerson[], found: readonly DirectoryPerson[]): Nominee[] {
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
  return [
    ...nominees,
    ...strangers.map(
      ({ email, ...person }): Nominee => ({
        ...person,
        principalId: null,
        mayOwn: true,
        holdsRole: false,
        currentKinds: [],
        ids: [person.directoryId],
        mails: texts(email),
        names: [person.displayName],
      }),
    ),
  ];
}

const texts = (...some: (string | null | undefined)[]): string[] =>
  some.filter((text) => text !== null && text !== undefined);
