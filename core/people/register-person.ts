import type { DirectoryPerson } from '../connectors/directory.ts';
import type { Tx } from '../db/tx.ts';
import type { By } from './by.ts';
import { insertPerson, principalsByDirectoryId } from './people.sql.ts';

const MAX_TEXT = 200;

/**
 * Makes a person of the directory known to the service, with no role, before they sign in for the first time. Who is
 * known already stays as they are. Returns the principal's id.
 */
export async function registerPerson(tx: Tx, { audit, now }: By, person: DirectoryPerson): Promise<string> {
  const { directoryId, email } = person;
  const shown = {
    displayName: line(person.displayName),
    title: line(person.title),
    department: line(person.department),
    email: email === null ? null : line(email),
  };
  const made = await insertPerson(tx, { directoryId, ...shown }, now);
  if (made === null) {
    // Another request has registered them since the caller looked.
    const known = (await principalsByDirectoryId(tx, [directoryId])).get(directoryId);
    if (known === undefined) throw new Error('The person was registered and is gone');
    return known;
  }
  audit({
    category: 'config',
    type: 'principal_registered',
    target: { kind: 'principal', id: made },
    details: { source: 'directory' },
  });
  return made;
}

/** Without control characters, and short enough to show. */
const line = (text: string): string =>
  text
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT);
