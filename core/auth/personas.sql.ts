import { sql } from '../db/sql.ts';
import type { EngineTx } from '../db/tx.ts';
import type { PrincipalId, TenantId } from '../kernel/ids.ts';
import type { Role } from '../kernel/vocabulary.ts';

export type PersonaRow = {
  principalId: PrincipalId;
  tenantId: TenantId;
  displayName: string;
  title: string;
  department: string;
  roles: Role[];
};

/** Active principals of all tenants with their roles, at most `limit`. For the development sign-in only. */
export function listPersonas(tx: EngineTx, limit: number): Promise<PersonaRow[]> {
  return tx.query<PersonaRow>(sql`
    select p.principal_id as "principalId", p.tenant_id as "tenantId", p.display_name as "displayName", p.title,
           p.department,
           array(select r.role from principal_roles r
                  where r.tenant_id = p.tenant_id and r.principal_id = p.principal_id order by r.role) as roles
      from principals p
     where p.status = 'active'
     order by p.tenant_id, p.display_name, p.principal_id
     limit ${limit}`);
}

/** The tenant of an active principal, or null. Principal ids are unique over all tenants. */
export async function tenantOfPersona(tx: EngineTx, principalId: string): Promise<TenantId | null> {
  const [row] = await tx.query<{ tenant_id: TenantId }>(sql`
    select tenant_id from principals where principal_id = ${principalId} and status = 'active'`);
  return row?.tenant_id ?? null;
}
