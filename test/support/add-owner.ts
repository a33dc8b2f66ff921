import { sql } from '../../core/db/sql.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import type { Role } from '../../core/kernel/vocabulary.ts';
import type { TestDatabase } from './database.ts';
import { DEV } from './seed.ts';

/** Adds a person with these roles to the development tenant, and assigns a domain to them. */
export async function addOwner(
  database: TestDatabase,
  principalId: string,
  { roles, domainId }: { roles: readonly Role[]; domainId: DomainId },
): Promise<void> {
  await database.inspect(sql`
    insert into principals (tenant_id, principal_id, display_name) values (${DEV}, ${principalId}, ${principalId})`);
  await database.inspect(sql`
    insert into principal_roles select ${DEV}, ${principalId}, unnest(${roles}::text[])`);
  await database.inspect(sql`
    insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, created_at)
    values (${DEV}, ${`own_${principalId}`}, ${principalId}, ${domainId}, now())`);
}
