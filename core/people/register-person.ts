import type { DirectoryPerson } from '../connectors/directory.ts';
import type { Tx } from '../db/tx.ts';
import { displayText } from '../kernel/display-text.ts';
import { insertPerson, principalsByDirectoryId } from './people.sql.ts';
import type { Actor } from './principals.ts';

/**
 * Makes a person of the directory known to the service, with no role, before they sign in for the first time. Who is
 * known already stays as they are. Returns the principal's id.
 */
export async function registerPerson(
  tx: Tx,
  { audit, now }: Pick<Actor, 'audit' | 'now'>,
  person: DirectoryPerson,
): Promise<string> {
  const { directoryId, email } = person;
  const shown = {
    displayName: displayText(person.displayName),
    title: displayText(person.title),
    department: displayText(person.department),
    email: email === null ? null : displayText(email),
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
