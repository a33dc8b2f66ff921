import type { AuditEntry } from '../audit/event.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Role } from '../kernel/vocabulary.ts';

type Audit = (entry: AuditEntry) => void;
type Grant = { principalId: string; roles: readonly Role[] };

/**
 * Gives roles inside the service. Those that were granted before stay as they are. The database refuses a role that
 * somebody gives themselves.
 * @param grantedBy null from a terminal, and for a setup code
 */
export async function grantRoles(
  tx: Tx,
  { principalId, roles, grantedBy }: Grant & { grantedBy: string | null },
  audit: Audit,
  now: number,
): Promise<void> {
  const granted = await tx.query<{ role: Role }>(sql`
    insert into principal_roles (tenant_id, principal_id, role, source, granted_by, granted_at)
    select ${tx.tenantId}, ${principalId}, role, 'granted', ${grantedBy}, ${new Date(now)}
      from unnest(${roles}::text[]) as role
    on conflict (tenant_id, principal_id, role, source) do nothing
    returning role`);
  for (const { role } of granted) audit(roleChanged('role_granted', principalId, role, 'granted'));
}

/** Takes granted roles away. Roles that the identity provider claims stay. */
export async function revokeRoles(tx: Tx, { principalId, roles }: Grant, audit: Audit): Promise<void> {
  const revoked = await tx.query<{ role: Role }>(sql`
    delete from principal_roles
     where tenant_id = ${tx.tenantId} and principal_id = ${principalId} and source = 'granted'
       and role = any(${roles}::text[])
    returning role`);
  for (const { role } of revoked) audit(roleChanged('role_revoked', principalId, role, 'granted'));
}

/** Makes the claimed roles of somebody those that the identity provider claims now. */
export async function storeClaimedRoles(
  tx: Tx,
  { principalId, roles }: Grant,
  audit: Audit,
  now: number,
): Promise<void> {
  const ended = await tx.query<{ role: Role }>(sql`
    delete from principal_roles
     where tenant_id = ${tx.tenantId} and principal_id = ${principalId} and source = 'claimed'
       and role <> all(${roles}::text[])
    returning role`);
  const begun = await tx.query<{ role: Role }>(sql`
    insert into principal_roles (tenant_id, principal_id, role, source, granted_at)
    select ${tx.tenantId}, ${principalId}, role, 'claimed', ${new Date(now)} from unnest(${roles}::text[]) as role
    on conflict (tenant_id, principal_id, role, source) do nothing
    returning role`);
  for (const { role } of ended) audit(roleChanged('role_revoked', principalId, role, 'claimed'));
  for (const { role } of begun) audit(roleChanged('role_granted', principalId, role, 'claimed'));
}

const roleChanged = (
  type: 'role_granted' | 'role_revoked',
  principalId: string,
  role: Role,
  source: 'granted' | 'claimed',
): AuditEntry => ({
  category: 'config',
  type,
  target: { kind: 'principal', id: principalId },
  details: { role, source },
});
