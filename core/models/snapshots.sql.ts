import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { TrainingLabel } from '../review/decision.ts';
import type { Clustered } from '../similarity/near-duplicate-clusters.ts';
import { isRevised } from './revised-labels.sql.ts';
import type { SnapshotItem, SnapshotLabel } from './snapshot-content.ts';
import { type Sides, type Snapshot, warningsOf } from './snapshot-schema.ts';
import type { Side } from './split.ts';

export type ApprovedLabel = Omit<SnapshotLabel, 'cluster'> &
  Omit<Clustered, 'assetId'> & {
    /** The bytes that the decision was about, in hex. */
    decidedHash: string | null;
  };

/**
 * Approved labels whose decision is valid, the newest first; at most `limit`. Their rows are locked, so that none is
 * revised before the transaction ends.
 */
export const lockApprovedLabels = (tx: Tx, limit: number): Promise<ApprovedLabel[]> =>
  tx.query<ApprovedLabel>(sql`
    select c.dataset_candidate_id as "datasetCandidateId", c.asset_id as "assetId",
           c.information_type_id as "informationTypeId", c.label, c.confidence, c.ensemble_version as "ensembleVersion",
           encode(a.content_hash, 'hex') as "contentHash", encode(d.content_hash, 'hex') as "decidedHash", s.shingles,
           coalesce(s.bands, '{}') as bands
      from dataset_candidates c
      join decisions d on d.tenant_id = c.tenant_id and d.decision_id = c.decision_id
      join assets a on a.tenant_id = c.tenant_id and a.asset_id = c.asset_id
      left join asset_sketches s on s.tenant_id = c.tenant_id and s.asset_id = c.asset_id
     where c.tenant_id = ${tx.tenantId} and c.status = 'approved' and c.revised_at is null
     order by c.created_at desc, c.dataset_candidate_id desc limit ${limit}
       for share of c`);

export async function countApprovedLabels(tx: Tx): Promise<number> {
  const [counted] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from dataset_candidates
     where tenant_id = ${tx.tenantId} and status = 'approved' and revised_at is null`);
  return counted?.count ?? 0;
}

/** Stores a snapshot with its items. The database refuses every later change of either. */
export async function insertSnapshot(
  tx: Tx,
  snapshot: Omit<Snapshot, 'revisedLabels' | 'warnings'>,
  items: readonly SnapshotItem[],
): Promise<void> {
  const { training, heldOut } = snapshot;
  await tx.execute(sql`
    insert into dataset_snapshots (tenant_id, snapshot_id, name, description, consent_scope, eval_fraction, seed, digest,
                                   clusters, training_positives, training_counterexamples, held_out_positives,
                                   held_out_counterexamples, omitted, created_by, created_at)
    values (${tx.tenantId}, ${snapshot.datasetSnapshotId}, ${snapshot.name}, ${snapshot.description},
            ${snapshot.consentScope}, ${snapshot.evalFraction}, ${snapshot.seed}, ${snapshot.digest}, ${snapshot.clusters},
            ${training.positiveExamples}, ${training.counterexamples}, ${heldOut.positiveExamples},
            ${heldOut.counterexamples}, ${snapshot.omittedLabels}, ${snapshot.createdBy}, ${snapshot.createdAt})`);
  await tx.execute(sql`
    insert into dataset_snapshot_items (tenant_id, snapshot_id, dataset_candidate_id, cluster, side)
    select ${tx.tenantId}, ${snapshot.datasetSnapshotId}, each.id, each.cluster, each.side
      from unnest(${items.map((item) => item.datasetCandidateId)}::text[], ${items.map((item) => item.cluster)}::integer[],
                  ${items.map((item) => item.side)}::text[]) as each (id, cluster, side)`);
}

type Row = Omit<Snapshot, 'training' | 'heldOut' | 'revisedLabels' | 'warnings' | 'createdAt'> & {
  createdAt: Date;
  /** Numbers of labels in the order of `sidesOf`. */
  taken: number[];
  revised: number[];
};

/** A snapshot, and its labels whose answers are valid. */
type ReadSnapshot = { snapshot: Snapshot; unrevised: Sides };

const read = async (tx: Tx, which: Statement): Promise<ReadSnapshot[]> => {
  const rows = await tx.query<Row>(sql`
    with revised as (
      select i.snapshot_id,
             array[${countOf('training', 'positive_example')}, ${countOf('training', 'counterexample')},
                   ${countOf('held_out', 'positive_example')}, ${countOf('held_out', 'counterexample')}] as labels
        from dataset_candidates c
        join dataset_snapshot_items i on i.tenant_id = c.tenant_id and i.dataset_candidate_id = c.dataset_candidate_id
       where c.tenant_id = ${tx.tenantId} and ${isRevised} group by i.snapshot_id
    )
    select s.snapshot_id as "datasetSnapshotId", s.name, s.description, s.consent_scope as "consentScope",
           s.eval_fraction as "evalFraction", s.seed, s.digest, s.clusters,
           array[s.training_positives, s.training_counterexamples, s.held_out_positives, s.held_out_counterexamples] as taken,
           coalesce(r.labels, '{0,0,0,0}') as revised, s.omitted as "omittedLabels", s.created_by as "createdBy",
           s.created_at as "createdAt"
      from (${which}) s left join revised r on r.snapshot_id = s.snapshot_id
     order by s.created_at desc, s.snapshot_id desc`);
  return rows.map(({ taken, revised, ...row }) => {
    const unrevised = sidesOf(taken.map((labels, at) => labels - (revised[at] ?? 0)));
    const snapshot = {
      ...row,
      ...sidesOf(taken),
      revisedLabels: revised.reduce((sum, labels) => sum + labels, 0),
      warnings: warningsOf(unrevised, row),
      createdAt: row.createdAt.toISOString(),
    };
    return { snapshot, unrevised };
  });
};

const countOf = (side: Side, label: TrainingLabel): Statement =>
  sql`count(*) filter (where i.side = ${side} and c.label = ${label})::int`;

const sidesOf = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): Sides => ({
  training: { positiveExamples: a, counterexamples: b },
  heldOut: { positiveExamples: c, counterexamples: d },
});

/** The newest snapshots; at most `limit`. */
export const listSnapshots = async (tx: Tx, limit: number): Promise<Snapshot[]> =>
  (
    await read(
      tx,
      sql`select * from dataset_snapshots where tenant_id = ${tx.tenantId}
           order by created_at desc, snapshot_id desc limit ${limit}`,
    )
  ).map(({ snapshot }) => snapshot);

/** Null if there is no such snapshot. */
export async function findSnapshot(tx: Tx, snapshotId: string): Promise<ReadSnapshot | null> {
  const [found] = await read(
    tx,
    sql`select * from dataset_snapshots where tenant_id = ${tx.tenantId} and snapshot_id = ${snapshotId}`,
  );
  return found ?? null;
}
