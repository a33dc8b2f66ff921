import { FENCE } from '../db/plan-hints.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId, DomainId } from '../kernel/ids.ts';

/**
 * The domains whose owners say that an asset is not theirs, and who are not asked about it again. Assets without such a
 * domain are left out.
 */
export async function refusalsOf(tx: Tx, assetIds: readonly AssetId[]): Promise<Map<AssetId, DomainId[]>> {
  const rows = await tx.query<{ assetId: AssetId; domainIds: DomainId[] }>(sql`
    select asset_id as "assetId", array_agg(domain_id order by domain_id) as "domainIds"
      from unnest(${assetIds}::text[]) as asked (asset_id)
     cross join lateral (
       select domain_id from candidates
        where tenant_id = ${tx.tenantId} and asset_id = asked.asset_id and status <> 'withdrawn'
        group by domain_id having bool_and(status = 'rejected') ${FENCE}) refused
     group by asset_id`);
  return new Map(rows.map(({ assetId, domainIds }) => [assetId, domainIds]));
}
