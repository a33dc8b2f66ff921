import { type Grantee, granteeOf, type PrincipalKind } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { DomainId, PrincipalId } from '../kernel/ids.ts';
import type { Role } from '../kernel/vocabulary.ts';

/** The present roles and domains of a principal other than the caller. Null if the principal is not active. */
export async function activeGrantee(tx: Tx, principalId: PrincipalId): Promise<Grantee | null> {
  const [row] = await tx.query<{ kind: PrincipalKind; roles: Role[]; assigned: DomainId[] }>(sql`
    select kind, roles, owned_domains as assigned from active_principal(${tx.tenantId}, ${principalId}, '-infinity')`);
  return row === undefined ? null : granteeOf(row.kind, row.roles, row.assigned);
}
