import { contentStateCounts } from '../assets/content-state-counts.sql.ts';
import { isSameContent } from '../assets/same-content.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';
import { isRevised } from './revised-labels.sql.ts';
import type { Side } from './split.ts';

/** Keeps other evaluations of the tenant out until the transaction ends. False if one is running. */
export async function beginEvaluation(tx: Tx): Promise<boolean> {
  const key = `evaluate_release ${tx.tenantId}`;
  const [row] = await tx.query<{ alone: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) as alone`);
  return row?.alone ?? false;
}

/** A label of a snapshot. */
export type SideLabel = {
  datasetCandidateId: string;
  assetId: AssetId;
  /** Of the snapshot: near-duplicates have one. */
  cluster: number;
  informationTypeId: string;
  domainId: string;
  isPositive: boolean;
  decidedAt: Date;
  isAboutPresentContent: boolean;
  isRevised: boolean;
};

/** The labels on one side of a snapshot, in an order that has nothing to do with what they are. */
export const labelsOnSide = (tx: Tx, snapshotId: string, side: Side): Promise<SideLabel[]> =>
  tx.query<SideLabel>(sql`
    select c.dataset_candidate_id as "datasetCandidateId", c.asset_id as "assetId", i.cluster, c.information_type_id as "informationTypeId",
           c.domain_id as "domainId", c.label = 'positive_example' as "isPositive", d.created_at as "decidedAt",
           ${isSameContent} as "isAboutPresentContent", ${isRevised} as "isRevised"
      from dataset_snapshot_items i
      join dataset_candidates c on c.tenant_id = i.tenant_id and c.dataset_candidate_id = i.dataset_candidate_id
      join decisions d on d.tenant_id = c.tenant_id and d.decision_id = c.decision_id
      join assets a on a.tenant_id = c.tenant_id and a.asset_id = c.asset_id
     where i.tenant_id = ${tx.tenantId} and i.snapshot_id = ${snapshotId} and i.side = ${side}
     order by hashtextextended(c.dataset_candidate_id, 0), c.dataset_candidate_id`);

/** Active assets in an order that has nothing to do with what they are; at most `limit`, and how many there are. */
export async function sampleAssets(tx: Tx, limit: number): Promise<{ assetIds: AssetId[]; total: number }> {
  const [rows, counts] = await Promise.all([
    // Reads all active assets, from an index and not from the table.
    tx.query<{ assetId: AssetId }>(sql`
      select asset_id as "assetId" from assets where tenant_id = ${tx.tenantId} and status = 'active'
       order by hashtextextended(asset_id, 0), asset_id limit ${limit}`),
    contentStateCounts(tx),
  ]);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { assetIds: rows.map(({ assetId }) => assetId), total };
}

/** Types of assets whose question the model does not decide: an owner has answered, or a person asks. */
export const settledTypes = (
  tx: Tx,
  assetIds: readonly AssetId[],
): Promise<{ assetId: AssetId; informationTypeId: string }[]> =>
  tx.query(sql`
    select asset_id as "assetId", information_type_id as "informationTypeId" from candidates
     where tenant_id = ${tx.tenantId} and asset_id = any(${assetIds}::text[]) and information_type_id is not null
       and (status in ('confirmed', 'rejected', 'routed') or (status = 'pending' and band = 'routed'))`);
