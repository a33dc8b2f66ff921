import { forEachTenant } from '../authz/for-each-tenant.ts';
import { sql } from '../db/sql.ts';
import { type Db, withEngineTx, withTx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';

const BATCH = 10_000;

/**
 * Folds recorded changes of placements into the counts, so that readers have few changes to add. The counts are exact
 * before and after. Concurrent and repeated runs are safe.
 */
export async function foldPlacements(db: Db, signal: AbortSignal): Promise<void> {
  const tenants = await withEngineTx(
    db,
    (tx) =>
      tx.query<{ tenantId: TenantId }>(sql`select distinct tenant_id as "tenantId" from placement_changes`),
    signal,
  );
  await forEachTenant(
    tenants.map(({ tenantId }) => tenantId),
    signal,
    async (tenantId) => {
      while (!signal.aborted && (await foldSome(db, tenantId)) === BATCH);
    },
  );
}

const foldSome = (db: Db, tenantId: TenantId): Promise<number> =>
  withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const [row] = await tx.query<{ folded: number }>(sql`
      select fold_placements(${tenantId}, ${BATCH}) as folded`);
    return row?.folded ?? 0;
  });
