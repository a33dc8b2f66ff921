import type { DirectoryPerson } from '../connectors/directory.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';

/** Principals by the id that the directory has for them. Ids of nobody known are left out. */
export async function principalsByDirectoryId(
  tx: Tx,
  directoryIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ directoryId: string; principalId: string }>(sql`
    select directory_id as "directoryId", principal_id as "principalId" from principals
     where tenant_id = ${tx.tenantId} and directory_id = any(${directoryIds}::text[])`);
  return new Map(rows.map(({ directoryId, principalId }) => [directoryId, principalId]));
}

/** Adds a person of the directory; null where somebody of this directory id is known. */
export async function insertPerson(
  tx: Tx,
  { directoryId, displayName, title, department, email }: DirectoryPerson,
  now: number,
): Promise<string | null> {
  const principalId = newId('pri', now);
  const made = await tx.execute(sql`
    insert into principals (tenant_id, principal_id, directory_id, display_name, title, department, email, created_at)
    values (${tx.tenantId}, ${principalId}, ${directoryId}, ${displayName}, ${title}, ${department}, ${email},
            ${new Date(now)})
    on conflict (tenant_id, directory_id) do nothing`);
  return made === 0 ? null : principalId;
}
