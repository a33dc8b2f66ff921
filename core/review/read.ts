import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { RelatedDecision } from '../scan/contributions.ts';

const MOST_DECISIONS = 100;

/**
 * What owners said of byte-identical copies of an asset, the newest first. None where no bytes were read. A corrected
 * type counts for the type that the owner named and against the one that was asked about.
 */
export async function decisionsOnCopies(
  tx: Tx,
  assetId: AssetId,
  contentHash: string | null,
): Promise<RelatedDecision[]> {
  if (contentHash === null) return [];
  return tx.query<RelatedDecision>(sql`
    select 'exact' as kind, said.information_type_id as "informationTypeId", said.outcome
      from assets a
      join candidates k on k.tenant_id = a.tenant_id and k.asset_id = a.asset_id
      join decisions d
        on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id and d.candidate_id = k.candidate_id
     cross join lateral (values
             (d.corrected_information_type_id, 'confirmed'),
             (k.information_type_id,
              case when k.status = 'confirmed' and d.corrected_information_type_id is null
                   then 'confirmed' else 'refused' end)
           ) as said (information_type_id, outcome)
     where a.tenant_id = ${tx.tenantId} and a.content_hash = decode(${contentHash}, 'hex') and a.status = 'active'
       and a.asset_id <> ${assetId} and k.status in ('confirmed', 'rejected') and said.information_type_id is not null
     order by d.created_at desc, d.decision_id, said.information_type_id limit ${MOST_DECISIONS}`);
}
