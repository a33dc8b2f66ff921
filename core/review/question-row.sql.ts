import { accessCounts } from '../assets/access.sql.ts';
import { type AccessCounts, accessInWords, exposureOfCounts } from '../assets/access.ts';
import { assetById } from '../authz/asset-by-id.sql.ts';
import { isoTimestamp } from '../db/iso-timestamp.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { DetectorTitles } from '../detectors/on-demand.ts';
import type { Candidate } from './candidate-schema.ts';
import type { Decision } from './decision.ts';
import type { MaterialChange } from './material-change.ts';
import { candidatesOf, questionRevision } from './question.sql.ts';
import { askedAgain, shownReason } from './queue-filter.sql.ts';
import { type Basis, explainChange, summarize, summarizeRepresentative } from './summary.ts';
import { questionValue, valueParts } from './value.sql.ts';
import { explainValue } from './value.ts';

/** A candidate without what the answers to other questions say of it. */
export type Question = Omit<Candidate, 'confidenceInWords' | 'expectation'>;

/** A candidate as a flat row. Building nested JSON in the database would slow down the long list. */
export type CandidateRow = Omit<Question, 'reasons' | 'location' | 'asset' | 'summary' | 'earlierAnswer'> &
  Candidate['location'] &
  Omit<Candidate['asset'], 'exposure' | 'exposureInWords' | 'sourceModifiedAt'> & {
    access: AccessCounts;
    permissionsComplete: boolean;
    permissionsObservedAt: Date | null;
    sourceModifiedAt: Date | null;
    bandPoints: number;
    riskPoints: number;
    relatedPoints: number;
    relatedInFull: boolean;
    basis: Basis | null;
    changes: MaterialChange[] | null;
    earlierDecisionId: string | null;
    earlierDecision: Decision | null;
    earlierDecidedAt: Date | null;
  };

/** Whether the profile of the tenant of `candidates k` lets words of texts be kept and shown. */
export const keepsText = sql`(
  select data_handling_profile <> 'metadata_only' from tenants where tenant_id = k.tenant_id)`;

export const COLUMNS = sql`
  k.candidate_id as "candidateId", k.asset_id as "assetId", a.name as "assetName",
  s.scope_id as "scopeId", s.name as "scopeName", a.path,
  a.kind, a.size_bytes as "sizeBytes", a.format, a.label_state as "labelState", a.label_name as "labelName",
  coalesce(a.foreign_labels <> '[]', false) as "labeledElsewhere", ${accessCounts} as access,
  a.permissions_complete as "permissionsComplete", a.permissions_observed_at as "permissionsObservedAt",
  a.source_url as "sourceUrl", a.source_modified_at as "sourceModifiedAt", a.modified_by as "modifiedBy",
  k.domain_id as "domainId", m.name as "domainName", k.information_type_id as "informationTypeId",
  t.name as "informationTypeName", k.confidence, k.band, k.status,
  ${questionRevision(sql`k`)} as revision, ${questionValue(sql`k`)} as value,
  ${shownReason(sql`k`, sql`again.asked_because`)} as "askedBecause", case when ${keepsText} then k.basis else k.basis - 'written' end as basis, again.changes, e.decision_id as "earlierDecisionId",
  e.decision as "earlierDecision", e.created_at as "earlierDecidedAt", question.types,
  k.risk_severity as "riskSeverity", k.related_count as "relatedCount",
  ${valueParts(sql`k`)},
  k.created_at::text as "createdAt", k.updated_at::text as "updatedAt"`;

/**
 * Joins what is shown of each candidate. Each join is a lookup by id: without statistics the planner expects one row
 * for the tenant, and would read the whole tenant for each candidate.
 * @param isAsked condition on `candidates o` of the asset of `k`: it belongs to the same question
 * @param confidence the model's confidence in the type of `o`
 */
export const joined = (tx: Tx, isAsked: Statement, confidence: Statement): Statement => sql`
  cross join lateral ${assetById(tx, sql`k.asset_id`)}
  left join lateral (
    select scope_id, name from scopes
     where tenant_id = ${unpeeked(tx.tenantId)} and scope_id = a.scope_id ${FENCE}) s on true
  left join lateral (
    select name from domains
     where tenant_id = ${unpeeked(tx.tenantId)} and domain_id = k.domain_id ${FENCE}) m on true
  left join lateral ${typeById(tx, sql`k.information_type_id`)} t on true
  cross join lateral (
    select coalesce(jsonb_agg(
             jsonb_build_object('candidateId', o.candidate_id, 'informationTypeId', o.information_type_id,
                                'informationTypeName', y.name, 'confidence', ${confidence})
             order by ${confidence} desc nulls last, o.candidate_id) filter (where y.name is not null), '[]') as types
      from ${candidatesOf(tx, sql`k.asset_id`)} o
      left join lateral ${typeById(tx, sql`o.information_type_id`)} y on true
     where ${isAsked}) question
  left join lateral ${askedAgain(tx, sql`k`, isAsked)} again on true
  left join lateral (
    select decision_id, decision, created_at from decisions
     where tenant_id = ${unpeeked(tx.tenantId)} and decision_id = again.earlier_decision_id ${FENCE}) e on true`;

const typeById = (tx: Tx, informationTypeId: Statement): Statement => sql`(
  select name, definition from information_types
   where tenant_id = ${unpeeked(tx.tenantId)} and information_type_id = ${informationTypeId} ${FENCE})`;

/**
 * Keeps columns that are no fields of a candidate, because removing them takes ten times as long. The schema of the
 * response drops them.
 */
export const toQuestion = (row: CandidateRow, titles: DetectorTitles): Question => ({
  ...row,
  summary:
    row.askedBecause === 'representative' && (row.status === 'pending' || row.status === 'deferred')
      ? summarizeRepresentative(row)
      : summarize(row, row.basis, { name: row.assetName, path: row.path }, titles),
  earlierAnswer:
    row.earlierDecisionId === null || row.earlierDecision === null || row.earlierDecidedAt === null
      ? null
      : {
          decisionId: row.earlierDecisionId,
          decision: row.earlierDecision,
          decidedAt: row.earlierDecidedAt.toISOString(),
          changes: (row.changes ?? []).map((change) => ({
            kind: change.kind,
            explanation: explainChange(change, titles),
          })),
        },
  location: { scopeId: row.scopeId, scopeName: row.scopeName, path: row.path },
  asset: askedAsset(row),
  reasons: explainValue(row, {
    band: row.bandPoints,
    risk: row.riskPoints,
    related: row.relatedPoints,
    inFull: row.relatedInFull,
  }),
  createdAt: isoTimestamp(row.createdAt),
  updatedAt: isoTimestamp(row.updatedAt),
});

const askedAsset = (row: CandidateRow): Candidate['asset'] => ({
  kind: row.kind,
  sizeBytes: row.sizeBytes,
  format: row.format,
  labelState: row.labelState,
  labelName: row.labelName,
  labeledElsewhere: row.labeledElsewhere,
  exposure: exposureOfCounts(row.access),
  exposureInWords: accessInWords(row.access, {
    isObserved: row.permissionsObservedAt !== null,
    isComplete: row.permissionsComplete,
  }),
  sourceUrl: row.sourceUrl,
  sourceModifiedAt: row.sourceModifiedAt?.toISOString() ?? null,
  modifiedBy: row.modifiedBy,
});
