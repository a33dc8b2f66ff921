import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { FIRST_ENSEMBLE } from '../inference/inference.ts';

/**
 * Makes a tenant with its first thresholds, in a provisioning transaction. False where there is one of that id, which
 * keeps everything.
 * @param issuer whose people belong to it; null for development
 */
export async function createTenant(
  tx: Tx,
  { name, issuer }: { name: string; issuer: string | null },
  now: number,
): Promise<boolean> {
  const at = new Date(now);
  const made = await tx.execute(sql`
    insert into tenants (tenant_id, name, idp_issuer, created_at) values (${tx.tenantId}, ${name}, ${issuer}, ${at})
    on conflict (tenant_id) do nothing`);
  if (made === 0) return false;
  const first = FIRST_ENSEMBLE;
  await tx.query(sql`
    insert into ensembles (tenant_id, version, candidate_threshold, review_low_threshold, review_high_threshold,
                           near_dup_confirmed_boost, exact_dup_confirmed_boost, active, created_at)
    values (${tx.tenantId}, ${first.version}, ${first.candidateThreshold}, ${first.reviewLowThreshold}, ${first.reviewHighThreshold},
            ${first.nearDupConfirmedBoost}, ${first.exactDupConfirmedBoost}, true, ${at})`);
  return true;
}

export type ListedTenant = { tenantId: string; name: string; issuer: string | null };

/** All tenants, in a provisioning transaction of any. */
export const listTenants = (tx: Tx): Promise<ListedTenant[]> =>
  tx.query(sql`select tenant_id as "tenantId", name, idp_issuer as issuer from tenants order by tenant_id`);

/** Binds the tenant and its people to another address of their identity provider, in a provisioning transaction. */
export async function setIssuer(tx: Tx, issuer: string): Promise<void> {
  await tx.execute(sql`update tenants set idp_issuer = ${issuer} where tenant_id = ${tx.tenantId}`);
}
