import type { AuditEntry } from '../audit/event.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Thresholds } from '../inference/inference.ts';
import type { LearnedWeights } from '../inference/weights.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { type CampaignId, newId, type PrincipalId } from '../kernel/ids.ts';
import type { Evaluation, StoredEvaluation } from './evaluation-report.ts';
import type { Proposal, ReleaseDetail } from './release-schema.ts';
import { nextReleaseState, type ReleaseStatus, type ReleaseTrigger } from './release-states.ts';
import type { ConfigPatch } from './thresholds.ts';

/** A release as it is stored. */
export type StoredRelease = {
  releaseId: string;
  status: ReleaseStatus;
  configPatch: ConfigPatch;
  thresholds: Thresholds;
  weights: Proposal['weights'];
  learned: LearnedWeights | null;
  comparedVersion: number;
  snapshotId: string | null;
  rationale: string;
  proposedBy: PrincipalId;
  evaluation: (Evaluation & { isByLabel: boolean }) | null;
  evaluatedAt: Date | null;
  decidedBy: PrincipalId | null;
  promotedVersion: number | null;
  formerVersion: number | null;
  formerReleaseId: string | null;
  campaignId: CampaignId | null;
  revision: number;
  createdAt: Date;
  updatedAt: Date;
};

const COLUMNS = sql`
  release_id as "releaseId", status, config_patch as "configPatch", thresholds, weights, learned, compared_version as "comparedVersion",
  snapshot_id as "snapshotId", rationale, proposed_by as "proposedBy",
  (evaluation - 'judged') || jsonb_build_object('isByLabel', jsonb_exists(evaluation, 'judged')) as evaluation,
  evaluated_at as "evaluatedAt",
  decided_by as "decidedBy", promoted_version as "promotedVersion", former_version as "formerVersion",
  former_release_id as "formerReleaseId", campaign_id as "campaignId", revision, created_at as "createdAt",
  updated_at as "updatedAt"`;

const one = async (tx: Tx, which: Statement, lock: Statement): Promise<StoredRelease | null> => {
  const [row] = await tx.query<StoredRelease>(sql`
    select ${COLUMNS} from model_releases where tenant_id = ${tx.tenantId} and ${which} ${lock}`);
  return row ?? null;
};

export const findRelease = (tx: Tx, releaseId: string): Promise<StoredRelease | null> =>
  one(tx, sql`release_id = ${releaseId}`, sql``);

/** A release, locked until the transaction ends, or null. */
export const lockRelease = (tx: Tx, releaseId: string): Promise<StoredRelease | null> =>
  one(tx, sql`release_id = ${releaseId}`, sql`for update`);

/** The release in force, locked until the transaction ends. Null if no release is. */
export const lockReleaseInForce = (tx: Tx): Promise<StoredRelease | null> =>
  one(tx, sql`status = 'promoted'`, sql`for update`);

/** The newest releases; at most `limit`. */
export const listReleases = (tx: Tx, limit: number): Promise<StoredRelease[]> =>
  tx.query<StoredRelease>(sql`
    select ${COLUMNS} from model_releases where tenant_id = ${tx.tenantId}
     order by created_at desc, release_id desc limit ${limit}`);

export async function releaseHistory(
  tx: Tx,
  releaseId: string,
  limit: number,
): Promise<ReleaseDetail['history']> {
  const rows = await tx.query<Omit<ReleaseDetail['history'][number], 'at'> & { at: Date }>(sql`
    select revision, from_status as "fromStatus", trigger, to_status as "toStatus", principal_id as "principalId", note,
           is_worse as "isWorse", ensemble_version as "ensembleVersion", created_at as at
      from release_transitions where tenant_id = ${tx.tenantId} and release_id = ${releaseId}
     order by revision desc limit ${limit}`);
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

/** Who takes a step, in their words, when, and the sink for the audit event. */
export type Mover = {
  principalId: PrincipalId;
  note: string;
  now: number;
  audit: (entry: AuditEntry) => void;
};

/** Stores a proposal. Returns the id of the release. */
export async function insertRelease(
  tx: Tx,
  { configPatch, weights, datasetSnapshotId, rationale }: Proposal,
  { thresholds, learned, comparedVersion }: Pick<StoredRelease, 'thresholds' | 'learned' | 'comparedVersion'>,
  by: Omit<Mover, 'note'>,
): Promise<string> {
  const releaseId = newId('rel', by.now);
  const at = new Date(by.now);
  await tx.execute(sql`
    insert into model_releases (tenant_id, release_id, config_patch, thresholds, weights, learned,
                                compared_version, snapshot_id, rationale,
                                proposed_by, created_at, updated_at)
    values (${tx.tenantId}, ${releaseId}, ${sql.json(configPatch)}::jsonb, ${sql.json(thresholds)}::jsonb, ${weights},
            ${learned && sql.json(learned)}::jsonb, ${comparedVersion}, ${datasetSnapshotId ?? null}, ${rationale}, ${by.principalId}, ${at}, ${at})`);
  await insertTransition(
    tx,
    { releaseId, revision: 0, from: null, trigger: 'propose', to: 'proposed' },
    { ...by, note: '' },
  );
  return releaseId;
}

type Change = Partial<
  Pick<
    StoredRelease,
    | 'thresholds'
    | 'learned'
    | 'comparedVersion'
    | 'evaluatedAt'
    | 'decidedBy'
    | 'promotedVersion'
    | 'formerVersion'
    | 'formerReleaseId'
    | 'campaignId'
  >
> & {
  evaluation?: StoredEvaluation;
  /** The version that the step puts in force. */
  ensembleVersion?: number;
  /** Of a promotion: whether it is of a release that is worse than what was in force. */
  isWorse?: boolean;
};

/** Throws `conflict` if the release does not allow the step, or is not as the caller read it. */
export function refuseStep(
  { status, revision }: Pick<StoredRelease, 'status' | 'revision'>,
  trigger: ReleaseTrigger,
  readRevision: number | undefined,
): void {
  if (readRevision !== undefined && readRevision !== revision)
    throw new ServiceError('conflict', 'The release has changed in the meantime. Read it again.');
  if (nextReleaseState(status, trigger) === null)
    throw new ServiceError(
      'conflict',
      `This cannot be done with a release that is ${status.replace('_', ' ')}.`,
    );
}

/** A release that allows a step. Throws `not_found`, and `conflict` as `refuseStep`. */
export async function releaseFor(
  tx: Tx,
  releaseId: string,
  trigger: ReleaseTrigger,
  readRevision: number | undefined,
): Promise<StoredRelease> {
  const release = await findRelease(tx, releaseId);
  if (release === null) throw notFound();
  refuseStep(release, trigger, readRevision);
  return release;
}

/**
 * Applies a step to a locked release, with its row of history and its audit event. Throws `conflict` if it is not
 * allowed.
 */
export async function moveRelease(
  tx: Tx,
  release: StoredRelease,
  trigger: ReleaseTrigger,
  by: Mover,
  { ensembleVersion, evaluation, isWorse, ...change }: Change = {},
): Promise<void> {
  refuseStep(release, trigger, undefined);
  const to = nextReleaseState(release.status, trigger);
  const revision = release.revision + 1;
  const next = { ...release, ...change };
  await tx.execute(sql`
    update model_releases
       set status = ${to}, thresholds = ${sql.json(next.thresholds)}::jsonb,
           learned = ${next.learned && sql.json(next.learned)}::jsonb, compared_version = ${next.comparedVersion},
           evaluation = coalesce(${evaluation === undefined ? null : sql.json(evaluation)}::jsonb, evaluation), evaluated_at = ${next.evaluatedAt},
           decided_by = ${next.decidedBy}, promoted_version = ${next.promotedVersion},
           former_version = ${next.formerVersion}, former_release_id = ${next.formerReleaseId},
           campaign_id = ${next.campaignId}, revision = ${revision}, updated_at = ${new Date(by.now)}
     where tenant_id = ${tx.tenantId} and release_id = ${release.releaseId}`);
  const { releaseId, status: from } = release;
  const campaignId = change.campaignId ?? null;
  const step = { releaseId, revision, from, trigger, to, ensembleVersion, campaignId, isWorse };
  await insertTransition(tx, step, by);
}

const EVENTS: Readonly<Record<ReleaseTrigger, string>> = {
  propose: 'release_proposed',
  evaluate: 'release_evaluated',
  approve: 'release_approved',
  reject: 'release_rejected',
  withdraw: 'release_withdrawn',
  promote: 'release_promoted',
  supersede: 'release_superseded',
  restore: 'release_restored',
  rollback: 'release_rolled_back',
};

async function insertTransition(
  tx: Tx,
  step: {
    releaseId: string;
    revision: number;
    from: ReleaseStatus | null;
    trigger: ReleaseTrigger;
    to: ReleaseStatus | null;
    ensembleVersion?: number | undefined;
    campaignId?: CampaignId | null;
    isWorse?: boolean | undefined;
  },
  by: Mover,
): Promise<void> {
  const { releaseId, revision, trigger, ensembleVersion = null, campaignId = null, isWorse = null } = step;
  await tx.execute(sql`
    insert into release_transitions (tenant_id, release_id, revision, from_status, trigger, to_status, principal_id, note,
                                     ensemble_version, campaign_id, is_worse, created_at)
    values (${tx.tenantId}, ${releaseId}, ${revision}, ${step.from}, ${trigger}, ${step.to}, ${by.principalId}, ${by.note},
            ${ensembleVersion}, ${campaignId}, ${isWorse}, ${new Date(by.now)})`);
  by.audit({
    category: 'model',
    type: EVENTS[trigger],
    target: { kind: 'release', id: releaseId },
    details: {
      revision,
      status: step.to,
      ...(ensembleVersion !== null && { ensembleVersion }),
      ...(campaignId !== null && { campaignId }),
      // The reason is in the row of this revision.
      ...(isWorse === true && { isWorse, hasReason: by.note !== '' }),
    },
  });
}
