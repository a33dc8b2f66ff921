import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

export async function isApprovedDomain(tx: Tx, domainId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from domains where tenant_id = ${tx.tenantId} and domain_id = ${domainId} and status = 'approved'`);
  return rows.length > 0;
}

/**
 * The domain of an approved information type, or null if the type is not approved or the reader may not see its
 * domain.
 */
export async function domainOfApprovedType(
  tx: Tx,
  visibility: Visibility,
  informationTypeId: string,
): Promise<string | null> {
  const [row] = await tx.query<{ domain_id: string }>(sql`
    select t.domain_id from information_types t join domains d using (tenant_id, domain_id)
     where t.tenant_id = ${tx.tenantId} and t.information_type_id = ${informationTypeId}
       and t.status = 'approved' and d.status = 'approved' and ${withinDomains(visibility, sql`t.domain_id`)}`);
  return row?.domain_id ?? null;
}
