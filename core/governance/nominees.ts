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
 * Everybody once: who is known and found in the directory goes by what both say. A person whom a source lists is joined with
 * the one who has the same address, and is somebody further if nobody has it. Of two who are listed with one address the
 * first counts.
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
      mails: texts(email, same?.email, ...(same?.aliases ?? [])),
      names: texts(displayName, same?.displayName),
    };
  });
  const knownIds = new Set(known.map(({ directoryId }) => directoryId));
  for (const { email, aliases = [], ...person } of foundById.values()) {
    if (!knownIds.has(person.directoryId))
      nominees.push(stranger(person, [person.directoryId], texts(email, ...aliases)));
  }
  const byAddress = new Map<string, Nominee>();
  const reach = (nominee: Nominee) => {
    for (const mail of nominee.mails.map(fold)) byAddress.set(mail, byAddress.get(mail) ?? nominee);
  };
  for (const nominee of nominees) reach(nominee);
  for (const { email, aliases = [], ...person } of listed) {
    const mails = [email, ...aliases];
    const same = mails.map((mail) => byAddress.get(fold(mail))).find((each) => each !== undefined);
    const nominee = same ?? stranger({ ...person, directoryId: null }, [], []);
    if (same === undefined) nominees.push(nominee);
    nominee.mails = [...nominee.mails, ...mails.filter((mail) => !byAddress.has(fold(mail)))];
    reach(nominee);
  }
  return nominees;
}

const stranger = (
  person: Pick<Nominee, 'directoryId' | 'displayName' | 'title' | 'department'>,
  ids: string[],
  mails: string[],
): Nominee => ({
  ...person,
  principalId: null,
  mayOwn: true,
  holdsRole: false,
  currentKinds: [],
  ids,
  mails,
  names: [person.displayName],
});

const texts = (...some: (string | null | undefined)[]): string[] =>
  some.filter((text) => text !== null && text !== undefined);
