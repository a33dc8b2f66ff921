import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { isoTimestamp } from '../db/iso-timestamp.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { withinDomains } from '../governance/read.ts';
import type { Contribution } from '../scan/inference.ts';
import type { Candidate, CandidateDetailSchema, PastDecisionSchema } from './candidate-schema.ts';
import { explainValue } from './value.ts';

type Detail = z.infer<typeof CandidateDetailSchema>;
type PastDecision = z.infer<typeof PastDecisionSchema>;

/** Without what nests: the list is long. */
type CandidateRow = Omit<Candidate, 'reasons' | 'location'> &
  Candidate['location'] & {
    bandPoints: number;
    riskPoints: number;
    relatedPoints: number;
  };

const COLUMNS = sql`
  k.candidate_id as "candidateId", k.asset_id as "assetId", a.name as "assetName",
  s.scope_id as "scopeId", s.name as "scopeName", a.path,
  k.domain_id as "domainId", m.name as "domainName", k.information_type_id as "informationTypeId",
  t.name as "informationTypeName", k.confidence, k.band, k.status, k.revision, k.value,
  k.risk_severity as "riskSeverity", k.related_count as "relatedCount",
  band_points(k.band, k.confidence) as "bandPoints", risk_points(k.risk_severity) as "riskPoints",
  related_points(k.related_count) as "relatedPoints",
  k.created_at::text as "createdAt", k.updated_at::text as "updatedAt"`;

/** Names are joined to the candidates, never the other way round: of a young table the planner knows no better. */
const JOINED = sql`
  join assets a on a.tenant_id = k.tenant_id and a.asset_id = k.asset_id
  left join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
  left join domains m on m.tenant_id = k.tenant_id and m.domain_id = k.domain_id
  left join information_types t on t.tenant_id = k.tenant_id and t.information_type_id = k.information_type_id`;

/** Columns that are no fields of it stay in it, since to leave them out takes ten times as long: its schema drops them. */
const toCandidate = (row: CandidateRow): Candidate => ({
  ...row,
  location: { scopeId: row.scopeId, scopeName: row.scopeName, path: row.path },
  reasons: explainValue(row, { band: row.bandPoints, risk: row.riskPoints, related: row.relatedPoints }),
  createdAt: isoTimestamp(row.createdAt),
  updatedAt: isoTimestamp(row.updatedAt),
});

/** Open questions of the reader's domains, or of one of them, at most `limit`, by the value of an answer. */
export async function listQueue(
  tx: Tx,
  visibility: Visibility,
  domainId: string | null,
  limit: number,
): Promise<Candidate[]> {
  // The first few of each domain, which an index has in this order, and then the first of those: no backlog is sorted.
  const first = sql`limit ${sql.whole(limit)}`;
  const domains =
    visibility.kind === 'tenant'
      ? sql`select o.domain_id from domains o where o.tenant_id = ${tx.tenantId}`
      : sql`select unnest(${sql.unpeeked(visibility.domainIds)}) as domain_id`;
  const rows = await tx.query<CandidateRow>(sql`
    select ${COLUMNS}
      from (
        select first.* from (${domains}) o cross join lateral (
          select q.* from candidates q
           where q.tenant_id = ${tx.tenantId} and q.domain_id = o.domain_id and q.status = 'pending' and q.asset_active
           order by q.value desc, q.candidate_id ${first}) first
         where ${domainId === null ? sql`true` : sql`o.domain_id = ${domainId}`}
         order by first.value desc, first.candidate_id ${first}
      ) k ${JOINED}
     order by k.value desc, k.candidate_id`);
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

/**
 * What was decided of a candidate, and which decisions sent its asset to its domain or named its type; newest first. A
 * type of a domain that is not the reader's is not told.
 */
export async function decisionsOf(
  tx: Tx,
  { candidateId, assetId, domainId, informationTypeId }: Candidate,
  visibility: Visibility,
  limit: number,
): Promise<PastDecision[]> {
  const rows = await tx.query<Omit<PastDecision, 'decidedAt'> & { decidedAt: Date }>(sql`
    select d.decision_id as "decisionId", d.candidate_id as "candidateId", d.decision,
           t.information_type_id as "correctedInformationTypeId", d.routed_domain_id as "routedDomainId",
           d.note, d.training_eligible as "trainingEligible", d.revision, d.principal_id as "principalId",
           p.display_name as "principalName", d.created_at as "decidedAt"
      from decisions d
      join principals p on p.tenant_id = d.tenant_id and p.principal_id = d.principal_id
      left join information_types t
        on t.tenant_id = d.tenant_id and t.information_type_id = d.corrected_information_type_id
       and ${withinDomains(visibility, sql`t.domain_id`)}
     where d.tenant_id = ${tx.tenantId}
       and (d.candidate_id = ${candidateId}
            or (d.asset_id = ${assetId} and d.routed_domain_id = ${domainId})
            or (d.asset_id = ${assetId} and d.corrected_information_type_id = ${informationTypeId}))
     order by d.created_at desc, d.decision_id desc limit ${limit}`);
  return rows.map((row) => ({ ...row, decidedAt: row.decidedAt.toISOString() }));
}
