import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** Active assets by content state. */
export type ContentStateCounts = {
  not_fetched: number;
  available: number;
  partial: number;
  unsupported: number;
  failed: number;
  inaccessible: number;
};

export async function contentStateCounts(tx: Tx): Promise<ContentStateCounts> {
  const [row] = await tx.query<ContentStateCounts>(sql`
    select coalesce(sum(not_fetched), 0)::bigint as not_fetched, coalesce(sum(available), 0)::bigint as available,
           coalesce(sum(partial), 0)::bigint as partial, coalesce(sum(unsupported), 0)::bigint as unsupported,
           coalesce(sum(failed), 0)::bigint as failed, coalesce(sum(inaccessible), 0)::bigint as inaccessible
      from tenant_counters where tenant_id = ${tx.tenantId}`);
  return row ?? { not_fetched: 0, available: 0, partial: 0, unsupported: 0, failed: 0, inaccessible: 0 };
}
