import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { RelatedDecision } from '../scan/contributions.ts';

const MOST_DECISIONS = 100;

/** What owners said of byte-identical copies of an asset, the newest first. None where no bytes were read. */
export async function decisionsOnCopies(
  tx: Tx,
  assetId: AssetId,
  contentHash: string | null,
): Promise<RelatedDecision[]> {
  if (contentHash === null) return [];
  const rows = await tx.query<{ information_type_id: string; status: 'confirmed' | 'rejected' }>(sql`
    select c.information_type_id, c.status
      from assets a join candidates c using (tenant_id, asset_id)
     where a.tenant_id = ${tx.tenantId} and a.content_hash = decode(${contentHash}, 'hex') and a.status = 'active'
       and a.asset_id <> ${assetId} and c.information_type_id is not null and c.status in ('confirmed', 'rejected')
     order by c.updated_at desc, c.candidate_id limit ${MOST_DECISIONS}`);
  return rows.map((row) => ({
    kind: 'exact',
    informationTypeId: row.information_type_id,
    outcome: row.status === 'confirmed' ? 'confirmed' : 'refused',
  }));
}
