import type { Role } from '../authz/capabilities.ts';
import { type Grantee, granteeOf } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { DomainId, PrincipalId } from '../kernel/ids.ts';

/** The present roles and domains of a principal other than the caller. Null if the principal is not active. */
export async function activeGrantee(tx: Tx, principalId: PrincipalId): Promise<Grantee | null> {
  const [row] = await tx.query<{ roles: Role[]; assigned: DomainId[] }>(sql`
    select array(select r.role from principal_roles r
                  where r.tenant_id = p.tenant_id and r.principal_id = p.principal_id order by r.role) as roles,
           array(select distinct o.domain_id from owner_assignments o
                  where o.tenant_id = p.tenant_id and o.principal_id = p.principal_id and o.ended_at is null
                  order by o.domain_id) as assigned
      from principals p
     where p.tenant_id = ${tx.tenantId} and p.principal_id = ${principalId} and p.status = 'active'`);
  return row === undefined ? null : granteeOf(row.roles, row.assigned);
}
