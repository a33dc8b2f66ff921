import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';
import { questionValue } from './value.sql.ts';

/** The assets of the most valuable questions of each approved domain, those of all domains alike. */
export async function nextQuestions(tx: Tx, limit: number): Promise<AssetId[]> {
  const rows = await tx.query<{ assetId: AssetId }>(sql`
    select asset_id as "assetId"
      from domains d cross join lateral (
        select k.asset_id, row_number() over (order by ${questionValue(sql`k`)} desc, k.candidate_id) as place
          from candidates k
         where k.tenant_id = d.tenant_id and k.domain_id = d.domain_id and k.status = 'pending' and k.asset_active
         order by ${questionValue(sql`k`)} desc, k.candidate_id limit ${limit}) next
     where d.tenant_id = ${tx.tenantId} and d.status = 'approved'
     order by next.place, asset_id limit ${limit}`);
  return rows.map(({ assetId }) => assetId);
}
