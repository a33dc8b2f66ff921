import { sql } from '../db/sql.ts';
import { type Db, withEngineTx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';

/** Tenants that have connected a source, so that there may be something to sweep, in order. */
export async function tenantsWithScopes(db: Db): Promise<TenantId[]> {
  const rows = await withEngineTx(db, (tx) =>
    tx.query<{ tenantId: TenantId }>(sql`select distinct tenant_id as "tenantId" from scopes order by 1`),
  );
  return rows.map(({ tenantId }) => tenantId);
}
