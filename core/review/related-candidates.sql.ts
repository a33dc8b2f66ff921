import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Candidate, RelatedCandidate } from './candidate-schema.ts';
import type { RelatedAsset } from './related-assets.sql.ts';

/**
 * Open candidates of the same domain on related assets, the most similar first. Each asset appears
 * once, by the candidate of the same type if there is one. The reader may see these because they may see the domain.
 * Candidates of other domains are left out.
 */
export async function relatedCandidates(
  tx: Tx,
  { domainId, informationTypeId }: Pick<Candidate, 'domainId' | 'informationTypeId'>,
  related: readonly RelatedAsset[],
): Promise<RelatedCandidate[]> {
  const rows = await tx.query<Omit<RelatedCandidate, 'kind' | 'similarity'>>(sql`
    select distinct on (place) k.candidate_id as "candidateId", k.asset_id as "assetId", a.name as "assetName",
           k.information_type_id as "informationTypeId", t.name as "informationTypeName", k.confidence, k.status
      from unnest(${related.map(({ assetId }) => assetId)}::text[]) with ordinality as r (asset_id, place)
      join candidates k on k.tenant_id = ${tx.tenantId} and k.asset_id = r.asset_id
      join assets a on a.tenant_id = k.tenant_id and a.asset_id = k.asset_id
      left join information_types t
        on t.tenant_id = k.tenant_id and t.information_type_id = k.information_type_id
     where k.domain_id = ${domainId} and k.status in ('pending', 'deferred') and k.asset_active
     order by place, k.information_type_id is not distinct from ${informationTypeId} desc,
              k.confidence desc nulls last, k.candidate_id`);
  const likeness = new Map<string, RelatedAsset>(related.map((each) => [each.assetId, each]));
  return rows.flatMap((row) => {
    const like = likeness.get(row.assetId);
    return like === undefined ? [] : [{ ...row, kind: like.kind, similarity: like.similarity }];
  });
}
