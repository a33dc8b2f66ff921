import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { withinDomains } from '../governance/read.ts';
import type { Contribution } from '../scan/inference.ts';
import type { Candidate, CandidateDetailSchema, PastDecisionSchema } from './candidate-schema.ts';

type Detail = z.infer<typeof CandidateDetailSchema>;
type PastDecision = z.infer<typeof PastDecisionSchema>;

type CandidateRow = Omit<Candidate, 'createdAt' | 'updatedAt'> & { createdAt: Date; updatedAt: Date };

const COLUMNS = sql`
  k.candidate_id as "candidateId", k.asset_id as "assetId", a.name as "assetName",
  jsonb_build_object('scopeId', s.scope_id, 'scopeName', s.name, 'path', a.path) as location,
  k.domain_id as "domainId", m.name as "domainName", k.information_type_id as "informationTypeId",
  t.name as "informationTypeName", k.confidence, k.band, k.status, k.revision, k.created_at as "createdAt",
  k.updated_at as "updatedAt"`;

const JOINED = sql`
  join assets a on a.tenant_id = k.tenant_id and a.asset_id = k.asset_id
  join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
  join domains m on m.tenant_id = k.tenant_id and m.domain_id = k.domain_id
  left join information_types t on t.tenant_id = k.tenant_id and t.information_type_id = k.information_type_id`;

const toCandidate = (row: CandidateRow): Candidate => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/**
 * Open questions of the reader's domains, or of one of them, at most `limit`: what a colleague sent first, then what
 * the model is surest of.
 */
export async function listQueue(
  tx: Tx,
  visibility: Visibility,
  domainId: string | null,
  limit: number,
): Promise<Candidate[]> {
  // The first few of each domain, in the order of an index, and then the first of those: no backlog is sorted.
  const rows = await tx.query<CandidateRow>(sql`
    select ${COLUMNS}
      from (
        select first.* from domains o cross join lateral (
          select q.* from candidates q join assets using (tenant_id, asset_id)
           where q.tenant_id = o.tenant_id and q.domain_id = o.domain_id and q.status = 'pending'
             and assets.status = 'active'
           order by q.band_rank, q.confidence desc nulls last, q.candidate_id limit ${limit}) first
         where o.tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`o.domain_id`)}
           and ${domainId === null ? sql`true` : sql`o.domain_id = ${domainId}`}
         order by first.band_rank, first.confidence desc nulls last, first.candidate_id limit ${limit}
      ) k ${JOINED}
     order by k.band_rank, k.confidence desc nulls last, k.candidate_id`);
  return rows.map(toCandidate);
}

type DetailRow = CandidateRow & {
  asset: Omit<Detail['asset'], 'sourceModifiedAt'>;
  sourceModifiedAt: Date | null;
  inferenceId: string | null;
  inferredConfidence: number;
  ensembleVersion: number;
  inferredAt: Date;
  contributions: Contribution[];
  signals: Signal[] | null;
};

/** A candidate as the database tells it, before its reasons are explained. */
export type CandidateRecord = {
  candidate: Candidate;
  asset: Detail['asset'];
  inference:
    | (Omit<NonNullable<Detail['inference']>, 'contributions'> & { contributions: Contribution[] })
    | null;
  signals: Signal[];
};

/**
 * Null when there is no such candidate, its asset is gone, its domain is not one of the reader's, or it no longer ties
 * the asset to it. A refusal is shown as long as it was made after `revisableSince`.
 */
export async function findCandidate(
  tx: Tx,
  candidateId: string,
  visibility: Visibility,
  revisableSince: Date,
): Promise<CandidateRecord | null> {
  const [row] = await tx.query<DetailRow>(sql`
    select ${COLUMNS},
           jsonb_build_object('kind', a.kind, 'sizeBytes', a.size_bytes, 'mimeType', a.mime_type, 'format', a.format,
                              'contentState', a.content_state, 'contentReason', a.content_reason,
                              'labelState', a.label_state, 'labelName', a.label_name, 'sourceUrl', a.source_url) as asset,
           a.source_modified_at as "sourceModifiedAt", i.inference_id as "inferenceId",
           i.confidence as "inferredConfidence", i.ensemble_version as "ensembleVersion",
           i.created_at as "inferredAt", i.contributions, f.features -> 'signals' as signals
      from candidates k ${JOINED}
      left join inferences i on i.tenant_id = k.tenant_id and i.inference_id = k.inference_id
      left join asset_features f on f.tenant_id = a.tenant_id and f.asset_id = a.asset_id
      left join decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
     where k.tenant_id = ${tx.tenantId} and k.candidate_id = ${candidateId} and a.status = 'active'
       and ${withinDomains(visibility, sql`k.domain_id`)}
       and (k.status in ('pending', 'deferred', 'confirmed')
            or (k.status = 'rejected' and d.created_at >= ${revisableSince}))`);
  if (row === undefined) return null;
  const { asset, sourceModifiedAt, signals, inferenceId } = row;
  return {
    candidate: toCandidate(row),
    asset: { ...asset, sourceModifiedAt: sourceModifiedAt?.toISOString() ?? null },
    inference:
      inferenceId === null
        ? null
        : {
            inferenceId,
            confidence: row.inferredConfidence,
            ensembleVersion: row.ensembleVersion,
            inferredAt: row.inferredAt.toISOString(),
            contributions: row.contributions,
          },
    signals: signals ?? [],
  };
}

/** What was decided of a candidate, and which decisions sent its asset to its domain or named its type; newest first. */
export async function decisionsOf(
  tx: Tx,
  { candidateId, assetId, domainId, informationTypeId }: Candidate,
  limit: number,
): Promise<PastDecision[]> {
  const rows = await tx.query<Omit<PastDecision, 'decidedAt'> & { decidedAt: Date }>(sql`
    select d.decision_id as "decisionId", d.candidate_id as "candidateId", d.decision,
           d.corrected_information_type_id as "correctedInformationTypeId", d.routed_domain_id as "routedDomainId",
           d.note, d.training_eligible as "trainingEligible", d.revision, d.principal_id as "principalId",
           p.display_name as "principalName", d.created_at as "decidedAt"
      from decisions d
      join principals p on p.tenant_id = d.tenant_id and p.principal_id = d.principal_id
     where d.tenant_id = ${tx.tenantId}
       and (d.candidate_id = ${candidateId}
            or (d.asset_id = ${assetId} and d.routed_domain_id = ${domainId})
            or (d.asset_id = ${assetId} and d.corrected_information_type_id = ${informationTypeId}))
     order by d.created_at desc, d.decision_id desc limit ${limit}`);
  return rows.map((row) => ({ ...row, decidedAt: row.decidedAt.toISOString() }));
}
