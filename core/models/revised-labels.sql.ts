import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { RevisedLabels } from './evaluation.ts';

/**
 * Condition on `dataset_candidates c`: its answer was reversed or withdrawn. A later answer that gives the asset the
 * same label confirms it.
 */
export const isRevised = sql`(c.revised_at is not null and not exists (
  select from dataset_candidates o
   where o.tenant_id = c.tenant_id and o.asset_id = c.asset_id and o.information_type_id = c.information_type_id
     and o.label = c.label and o.revised_at is null))`;

/**
 * The revised labels of the snapshots of releases, with how the evaluation of each release judged them, by release.
 * They are counted by type, side and outcome.
 */
export async function revisedLabels(
  tx: Tx,
  releaseIds: readonly string[],
): Promise<Map<string, RevisedLabels[]>> {
  const rows = await tx.query<RevisedLabels & { releaseId: string }>(sql`
    with evaluated as (
      select release_id, snapshot_id, evaluation from model_releases
       where tenant_id = ${tx.tenantId} and release_id = any(${releaseIds}::text[]) and evaluation is not null
    ), judged as materialized (
      select e.release_id, j.key as dataset_candidate_id, j.value as asked
        from evaluated e cross join lateral jsonb_each(e.evaluation -> 'judged') j
    ), revised as (
      select e.release_id, c.dataset_candidate_id, c.domain_id, c.information_type_id, c.label, i.side
        from evaluated e
        join dataset_snapshot_items i on i.tenant_id = ${tx.tenantId} and i.snapshot_id = e.snapshot_id
        join dataset_candidates c on c.tenant_id = ${tx.tenantId} and c.dataset_candidate_id = i.dataset_candidate_id
       where ${isRevised}
    )
    select r.release_id as "releaseId", r.domain_id as "domainId", r.information_type_id as "informationTypeId", r.side,
           r.label = 'positive_example' as "isPositive", j.asked, count(*)::int as labels
      from revised r
      left join judged j on j.release_id = r.release_id and j.dataset_candidate_id = r.dataset_candidate_id
     group by 1, 2, 3, 4, 5, 6`);
  return Map.groupBy(rows, ({ releaseId }) => releaseId);
}
