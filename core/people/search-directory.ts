import { z } from 'zod';
import type { Directory, DirectoryPerson } from '../connectors/directory.ts';
import type { Tx } from '../db/tx.ts';
import { notFound } from '../kernel/errors.ts';
import { bounded } from '../kernel/list.ts';
import { askDirectory, type DirectoryParts } from './ask-directory.ts';
import { principalsByDirectoryId } from './people.sql.ts';

const LISTED = 50;
const WITHIN_MS = 10_000;

export const DirectorySearchSchema = z.strictObject({ q: z.string().trim().min(2).max(200) });

/** `principalId` is null for somebody who is not known to the service yet. */
export const DirectoryPersonSchema = z.object({
  directoryId: z.string(),
  principalId: z.string().nullable(),
  displayName: z.string(),
  title: z.string(),
  department: z.string(),
  email: z.string().nullable(),
  managerName: z.string().nullable(),
});

export const DirectoryGroupSchema = z.object({ groupId: z.string(), displayName: z.string() });

/** What the directory answered. Who is known to the service is to be read yet. */
export type FoundPeople = {
  people: readonly DirectoryPerson[];
  managers: ReadonlyMap<string, DirectoryPerson>;
  truncated: boolean;
};

/** People by name, e-mail address or department, outside of any transaction. Throws `blocked_capability`. */
export const searchPeople = (parts: DirectoryParts, text: string): Promise<FoundPeople> =>
  askDirectory(parts, WITHIN_MS, async (directory, signal) =>
    withManagers(directory, await directory.searchPeople(text, LISTED + 1, signal), signal),
  );

/** People of a group, outside of any transaction. Throws `blocked_capability`, and `not_found` for an unknown group. */
export const peopleOfGroup = (parts: DirectoryParts, groupId: string): Promise<FoundPeople> =>
  askDirectory(parts, WITHIN_MS, async (directory, signal) => {
    const members = await directory.membersOf(groupId, LISTED + 1, signal);
    if (members === null) throw notFound();
    return withManagers(directory, members, signal);
  });

/** Groups by name, outside of any transaction. Throws `blocked_capability`. */
export const searchGroups = (parts: DirectoryParts, text: string) =>
  askDirectory(parts, WITHIN_MS, async (directory, signal) =>
    bounded(await directory.searchGroups(text, LISTED + 1, signal), LISTED),
  );

async function withManagers(
  directory: Directory,
  found: DirectoryPerson[],
  signal: AbortSignal,
): Promise<FoundPeople> {
  const { items: people, truncated } = bounded(found, LISTED);
  const ids = people.map(({ directoryId }) => directoryId);
  const managers = ids.length === 0 ? new Map() : await directory.managersOf(ids, signal);
  return { people, managers, truncated };
}

/** The people as they are listed, with who of them is known to the service. */
export async function listFound(
  tx: Tx,
  { people, managers, truncated }: FoundPeople,
): Promise<{ items: z.infer<typeof DirectoryPersonSchema>[]; truncated: boolean }> {
  const known = await principalsByDirectoryId(
    tx,
    people.map(({ directoryId }) => directoryId),
  );
  const items = people.map(({ directoryId, displayName, title, department, email }) => ({
    directoryId,
    displayName,
    title,
    department,
    email,
    principalId: known.get(directoryId) ?? null,
    managerName: managers.get(directoryId)?.displayName ?? null,
  }));
  return { items, truncated };
}
