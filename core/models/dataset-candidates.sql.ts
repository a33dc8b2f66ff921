import { z } from 'zod';
import { isSameContent } from '../assets/same-content.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { By } from '../governance/by.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { DecisionSchema } from '../review/decision.ts';
import {
  type Curation,
  DATASET_CANDIDATE_STATUSES,
  type DatasetCandidateStatus,
  nextCurationState,
} from './dataset-candidate-states.ts';

/**
 * A label for the model, derived from a decision of an owner. `confidence` is that of the model when the owner decided,
 * null if the model did not name the type, and `ensembleVersion` is that of the thresholds at that time.
 */
export const DatasetCandidateSchema = z.object({
  datasetCandidateId: z.string(),
  status: z.enum(DATASET_CANDIDATE_STATUSES),
  label: z.enum(['positive_example', 'counterexample']),
  assetId: z.string(),
  assetName: z.string(),
  domainId: z.string(),
  informationTypeId: z.string(),
  decisionId: z.string(),
  decision: DecisionSchema,
  confidence: z.number().nullable(),
  ensembleVersion: z.int(),
  /** Whether the asset still has the content that the owner saw. Evaluations skip the others. */
  isAboutPresentContent: z.boolean(),
  curatedBy: z.string().nullable(),
  curatedAt: z.iso.datetime().nullable(),
  /** The snapshots that contain it. */
  snapshotIds: z.array(z.string()),
  /** When the owner revised the decision. Then only its snapshots keep it. */
  revisedAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
});
export type DatasetCandidate = z.infer<typeof DatasetCandidateSchema>;

type Row = Omit<DatasetCandidate, 'curatedAt' | 'revisedAt' | 'createdAt'> & {
  curatedAt: Date | null;
  revisedAt: Date | null;
  createdAt: Date;
};

const read = async (tx: Tx, which: Statement): Promise<DatasetCandidate[]> => {
  const rows = await tx.query<Row>(sql`
    select x.dataset_candidate_id as "datasetCandidateId", x.status, x.label, x.asset_id as "assetId", a.name as "assetName",
           x.domain_id as "domainId", x.information_type_id as "informationTypeId", x.decision_id as "decisionId", d.decision,
           x.confidence, x.ensemble_version as "ensembleVersion", ${isSameContent} as "isAboutPresentContent",
           x.curated_by as "curatedBy", x.curated_at as "curatedAt", x.revised_at as "revisedAt", x.created_at as "createdAt",
           array(select i.snapshot_id from dataset_snapshot_items i
                  where i.tenant_id = x.tenant_id and i.dataset_candidate_id = x.dataset_candidate_id
                  order by i.snapshot_id) as "snapshotIds"
      from (${which}) x
      join decisions d on d.tenant_id = x.tenant_id and d.decision_id = x.decision_id
      join assets a on a.tenant_id = x.tenant_id and a.asset_id = x.asset_id
     order by x.created_at desc, x.dataset_candidate_id desc`);
  return rows.map((row) => ({
    ...row,
    curatedAt: row.curatedAt?.toISOString() ?? null,
    revisedAt: row.revisedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }));
};

/** Not withdrawn: the decision is valid, or a snapshot contains the label. */
const isKept = sql`
  (c.revised_at is null or exists (
    select from dataset_snapshot_items i
     where i.tenant_id = c.tenant_id and i.dataset_candidate_id = c.dataset_candidate_id))`;

/**
 * Dataset candidates, the newest first; at most `limit`. Those whose decision was revised are left out, unless a
 * snapshot contains them.
 */
export const listDatasetCandidates = (
  tx: Tx,
  status: DatasetCandidateStatus | undefined,
  limit: number,
): Promise<DatasetCandidate[]> =>
  read(
    tx,
    sql`select c.* from dataset_candidates c
         where c.tenant_id = ${tx.tenantId} and ${status === undefined ? sql`true` : sql`c.status = ${status}`} and ${isKept}
         order by c.created_at desc, c.dataset_candidate_id desc limit ${limit}`,
  );

/** Approves or rejects a pending dataset candidate. Throws `not_found`, also for a withdrawn one, and `conflict`. */
export async function curate(
  tx: Tx,
  { principal, audit, now }: By,
  datasetCandidateId: string,
  curation: Curation,
): Promise<DatasetCandidate> {
  const [locked] = await tx.query<{
    status: DatasetCandidateStatus;
    label: string;
    informationTypeId: string;
  }>(sql`
    select c.status, c.label, c.information_type_id as "informationTypeId" from dataset_candidates c
     where c.tenant_id = ${tx.tenantId} and c.dataset_candidate_id = ${datasetCandidateId} and ${isKept}
       for update of c`);
  if (locked === undefined) throw notFound();
  const status = nextCurationState(locked.status, curation);
  if (status === null)
    throw new ServiceError('conflict', `The dataset candidate is already ${locked.status}.`);
  await tx.execute(sql`
    update dataset_candidates set status = ${status}, curated_by = ${principal.principalId}, curated_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and dataset_candidate_id = ${datasetCandidateId}`);
  audit({
    category: 'model',
    type: 'dataset_candidate_decided',
    target: { kind: 'dataset_candidate', id: datasetCandidateId },
    details: { decision: curation, label: locked.label, informationTypeId: locked.informationTypeId },
  });
  const [curated] = await read(
    tx,
    sql`select * from dataset_candidates where tenant_id = ${tx.tenantId} and dataset_candidate_id = ${datasetCandidateId}`,
  );
  if (curated === undefined) throw notFound();
  return curated;
}
