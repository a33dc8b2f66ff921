import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';

/** Active assets by id, beginning after `after`; at most `limit`. */
export async function assetsToRescore(tx: Tx, after: AssetId | null, limit: number): Promise<AssetId[]> {
  const rows = await tx.query<{ assetId: AssetId }>(sql`
    select asset_id as "assetId" from assets
     where tenant_id = ${tx.tenantId} and status = 'active' and asset_id > ${after ?? ''}
     order by asset_id limit ${limit}`);
  return rows.map((row) => row.assetId);
}
