import type { z } from 'zod';
import { accessCounts } from '../assets/access.sql.ts';
import { type AccessCounts, accessInWords, exposureOfCounts } from '../assets/access.ts';
import { isSameContent, judgedContentVersion } from '../assets/same-content.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import type { Grant } from '../connectors/connector.ts';
import { isoTimestamp } from '../db/iso-timestamp.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { builtInTitles, type DetectorTitles } from '../detectors/on-demand.ts';
import type { Excerpt } from '../detectors/redaction.ts';
import type { Contribution } from '../inference/inference.ts';
import { joinScoring, scoredVersion } from '../inference/scorings.sql.ts';
import type { Spellings } from '../inference/spellings.ts';
import { standingExcerpts, standingSignals } from '../signals/standing-signals.sql.ts';
import { assetById } from '../visibility/asset-by-id.sql.ts';
import { withinDomains } from '../visibility/within-domains.sql.ts';
import type { Candidate, CandidateDetailSchema, PastDecisionSchema } from './candidate-schema.ts';
import type { Decision } from './decision.ts';
import type { MaterialChange } from './material-change.ts';
import { isOneQuestion, isRepresentative, questionRevision } from './question.sql.ts';
import {
  candidatesOf,
  isFiltered,
  openQuestions,
  QUEUE_LOOKED_AT,
  type QueueFilter,
  type QueueSort,
  queueOrder,
} from './queue-filter.sql.ts';
import { type Basis, basisOf, explainChange, summarize, summarizeRepresentative } from './summary.ts';
import { questionValue, valueParts } from './value.sql.ts';
import { explainValue } from './value.ts';

type Detail = z.infer<typeof CandidateDetailSchema>;
type PastDecision = z.infer<typeof PastDecisionSchema>;

/** A candidate without what the answers to other questions say of it. */
export type Question = Omit<Candidate, 'confidenceInWords' | 'expectation'>;

/** A candidate as a flat row. Building nested JSON in the database would slow down the long list. */
type CandidateRow = Omit<Question, 'reasons' | 'location' | 'asset' | 'summary' | 'earlierAnswer'> &
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
const keepsText = sql`(
  select data_handling_profile <> 'metadata_only' from tenants where tenant_id = k.tenant_id)`;

const COLUMNS = sql`
  k.candidate_id as "candidateId", k.asset_id as "assetId", a.name as "assetName",
  s.scope_id as "scopeId", s.name as "scopeName", a.path,
  a.kind, a.size_bytes as "sizeBytes", a.format, a.label_state as "labelState", a.label_name as "labelName",
  coalesce(a.foreign_labels <> '[]', false) as "labeledElsewhere", ${accessCounts} as access,
  a.permissions_complete as "permissionsComplete", a.permissions_observed_at as "permissionsObservedAt",
  a.source_url as "sourceUrl", a.source_modified_at as "sourceModifiedAt", a.modified_by as "modifiedBy",
  k.domain_id as "domainId", m.name as "domainName", k.information_type_id as "informationTypeId",
  t.name as "informationTypeName", k.confidence, k.band, k.status,
  ${questionRevision(sql`k`)} as revision, ${questionValue(sql`k`)} as value,
  case when ${isRepresentative(sql`k`)} then 'representative'
       when k.asked_because = 'inferred' then coalesce(again.asked_because, k.asked_because) else k.asked_because
  end as "askedBecause", case when ${keepsText} then k.basis else k.basis - 'written' end as basis, again.changes, e.decision_id as "earlierDecisionId",
  e.decision as "earlierDecision", e.created_at as "earlierDecidedAt", question.types,
  k.risk_severity as "riskSeverity", k.related_count as "relatedCount",
  ${valueParts(sql`k`)},
  k.created_at::text as "createdAt", k.updated_at::text as "updatedAt"`;

/**
 * Joins what is shown of each candidate. Each join is a lookup by id: without statistics the planner expects one row
 * for the tenant, and would read the whole tenant for each candidate. When a question is asked again, the candidate
 * that it is listed by may be of a new type. The earlier answer is therefore taken from any candidate of the question
 * that has one.
 * @param isAsked condition on `candidates o` of the asset of `k`: it belongs to the same question
 * @param confidence the model's confidence in the type of `o`
 */
const joined = (tx: Tx, isAsked: Statement, confidence: Statement): Statement => sql`
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
  left join lateral (
    select o.asked_because, o.changes, o.earlier_decision_id from ${candidatesOf(tx, sql`k.asset_id`)} o
     where ${isAsked} and o.earlier_decision_id is not null
     order by o.candidate_id <> k.candidate_id, o.earlier_decision_id desc limit 1) again on true
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
const toQuestion = (row: CandidateRow, titles: DetectorTitles): Question => ({
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

/** The first redacted excerpt of the asset of `candidates k`. Null if the reader may not see it, or there is none. */
const firstExcerpt = (tx: Tx, sees: Visibility | null): Statement =>
  sees === null
    ? sql`null::jsonb`
    : sql`(
        select ${standingExcerpts(sql`f.excerpts`, sql`k`)} -> 0 from asset_features f
         where f.tenant_id = ${unpeeked(tx.tenantId)} and f.asset_id = k.asset_id and ${keepsText}
           and ${withinDomains(sees, sql`k.domain_id`)})`;

type Queued = { firstExcerpt: Excerpt | null };

/**
 * Open questions of the reader's domains under a filter, the most valuable first unless another order is asked for; at
 * most `limit`. Each question is represented by its most valuable candidate.
 * @param excerptsFor where the reader may see excerpts; null if none are asked for
 */
export async function listQueue(
  tx: Tx,
  visibility: Visibility,
  filter: QueueFilter,
  limit: number,
  {
    excerptsFor = null,
    sort = '-value',
    look = QUEUE_LOOKED_AT,
  }: { excerptsFor?: Visibility | null; sort?: QueueSort; look?: number | null } = {},
): Promise<(Question & Queued)[]> {
  const isNarrow = isFiltered(filter);
  const questions = openQuestions(tx, visibility, filter, {
    sort,
    most: limit,
    look: isNarrow ? look : null,
  });
  const text = sql`
    select ${COLUMNS}, ${firstExcerpt(tx, excerptsFor)} as "firstExcerpt"
      from (${questions}) k ${joined(tx, sql`o.domain_id = k.domain_id and o.status = 'pending'`, sql`o.confidence`)}
     order by ${queueOrder(sort, sql`k`)}`;
  const rows = await tx.query<CandidateRow & Queued>(isNarrow ? sql.unprepared(text) : text);
  const titles = await builtInTitles();
  return rows.map((row) => ({ ...toQuestion(row, titles), firstExcerpt: row.firstExcerpt }));
}

/** An inference whose contributions are not explained yet. */
export type InferenceRecord = Omit<
  NonNullable<Detail['inference']>,
  'contributions' | 'confidenceInWords'
> & {
  contributions: Contribution[];
};

type AnswerRow = {
  decisionId: string | null;
  decision: Decision;
  decidedAt: Date;
  contentVersion: string | null;
  isAboutPresentContent: boolean;
  judgedSignals: Signal[] | null;
  judgedSpellings: Spellings | null;
  judgedInference: InferenceRecord | null;
};

type DetailRow = CandidateRow &
  AnswerRow & {
    mimeType: string | null;
    contentState: Detail['asset']['contentState'];
    contentReason: string | null;
    grants: Grant[];
    informationTypeDefinition: string | null;
    confirmedAs: Detail['confirmedAs'];
    inference: InferenceRecord | null;
    signals: Signal[];
    spellings: Spellings | null;
  };

/** A candidate as the database returns it, before its reasons are explained. */
export type CandidateRecord = {
  candidate: Question;
  asset: Detail['asset'];
  grants: { all: Grant[]; complete: boolean; observedAt: string | null };
  informationTypeDefinition: string | null;
  confirmedAs: Detail['confirmedAs'];
  inference: InferenceRecord | null;
  signals: Signal[];
  /** Null if none are retained, or the profile shows none. */
  spellings: Spellings | null;
  answer:
    | (Omit<NonNullable<Detail['answer']>, 'evidence'> & {
        evidence: {
          inference: InferenceRecord | null;
          signals: Signal[];
          spellings: Spellings | null;
        } | null;
      })
    | null;
};

/** Columns of `inferences i`. */
const inferenceColumns = (ensembleVersion: Statement) => sql`
  case when i.inference_id is not null then jsonb_build_object(
    'inferenceId', i.inference_id, 'confidence', i.confidence, 'ensembleVersion', ${ensembleVersion},
    'inferredAt', to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'contributions', i.contributions) end`;

/**
 * The model's present confidence that `assets a` is of the type of `candidates o`. Null if it no longer suggests the
 * type.
 */
const presentConfidence = sql`(
  select i.confidence from inferences i
   where i.tenant_id = o.tenant_id and i.asset_id = o.asset_id and i.information_type_id = o.information_type_id
     and i.inference_key = a.stage_keys ->> 'inference')`;

/**
 * Reads a candidate. Null if it does not exist, its asset was deleted, its domain is not one of the reader's, or it
 * no longer ties the asset to its domain. A rejected candidate is found if its decision was made after
 * `revisableSince`.
 */
export async function findCandidate(
  tx: Tx,
  candidateId: string,
  visibility: Visibility,
  revisableSince: Date,
): Promise<CandidateRecord | null> {
  const [row] = await tx.query<DetailRow>(sql`
    select ${COLUMNS}, t.definition as "informationTypeDefinition",
           (select jsonb_build_object('informationTypeId', y.information_type_id, 'informationTypeName', y.name)
              from information_types y
             where k.status = 'confirmed' and y.tenant_id = k.tenant_id
               and y.information_type_id = coalesce(d.corrected_information_type_id, k.information_type_id)
               and ${withinDomains(visibility, sql`y.domain_id`)}) as "confirmedAs",
           a.mime_type as "mimeType", a.content_state as "contentState", a.content_reason as "contentReason", a.grants,
           ${standingSignals(sql`a`)} as signals,
           case when ${keepsText} then (
             select f.features -> 'spellings' from asset_features f
              where f.tenant_id = k.tenant_id and f.asset_id = k.asset_id) end as spellings,
           (select ${inferenceColumns(scoredVersion)} from inferences i ${joinScoring}
             where i.tenant_id = k.tenant_id and i.asset_id = k.asset_id
               and i.information_type_id = k.information_type_id
               and i.inference_key = a.stage_keys ->> 'inference') as inference,
           d.decision_id as "decisionId", d.decision, d.created_at as "decidedAt",
           ${judgedContentVersion} as "contentVersion", ${isSameContent} as "isAboutPresentContent",
           d.evidence -> 'signals' as "judgedSignals",
           case when ${keepsText} then d.evidence -> 'spellings' end as "judgedSpellings",
           (select ${inferenceColumns(sql`i.ensemble_version`)} from inferences i
             where i.tenant_id = k.tenant_id and i.asset_id = k.asset_id
               and i.information_type_id = k.information_type_id and i.inference_key = (
                 select asked.inference_key from inferences asked
                  where asked.tenant_id = d.tenant_id and asked.inference_id = d.inference_id)) as "judgedInference"
      from candidates k ${joined(tx, sql`(o.candidate_id = k.candidate_id or ${isOneQuestion})`, presentConfidence)}
      left join decisions d
        on d.tenant_id = k.tenant_id and d.decision_id = coalesce(k.decision_id, e.decision_id)
     where k.tenant_id = ${tx.tenantId} and k.candidate_id = ${candidateId} and a.status = 'active'
       and ${withinDomains(visibility, sql`k.domain_id`)}
       and (k.status in ('pending', 'deferred', 'confirmed')
            or (k.status = 'rejected' and d.created_at >= ${revisableSince}))`);
  if (row === undefined) return null;
  const { informationTypeDefinition, confirmedAs, inference, signals, spellings } = row;
  // The row of an answered candidate keeps the confidence that it was answered on. The detail shows the present one,
  // with the answer beside it.
  const basis = inference && basisOf(inference.contributions, signals, spellings);
  const candidate = toQuestion(
    { ...row, confidence: inference?.confidence ?? null, basis },
    await builtInTitles(),
  );
  return {
    candidate,
    asset: {
      ...candidate.asset,
      mimeType: row.mimeType,
      contentState: row.contentState,
      contentReason: row.contentReason,
    },
    grants: {
      all: row.grants,
      complete: row.permissionsComplete,
      observedAt: row.permissionsObservedAt?.toISOString() ?? null,
    },
    informationTypeDefinition,
    confirmedAs,
    inference,
    signals,
    spellings,
    answer: toAnswer(row),
  };
}

const toAnswer = ({
  decisionId,
  decision,
  decidedAt,
  contentVersion,
  isAboutPresentContent,
  judgedSignals,
  judgedSpellings,
  judgedInference,
}: AnswerRow): CandidateRecord['answer'] =>
  decisionId === null
    ? null
    : {
        decisionId,
        decision,
        decidedAt: decidedAt.toISOString(),
        contentVersion,
        isAboutPresentContent,
        evidence: judgedSignals && {
          inference: judgedInference,
          signals: judgedSignals,
          spellings: judgedSpellings,
        },
      };

/**
 * The decisions of a question, those that sent its asset to its domain or named its type, and those that refused what
 * this question sent away; newest first. A type of a domain that the reader may not see is left out. So is the
 * candidate of another domain's decision. Its person is left out unless they wrote a note, because a note is meant
 * for the domain that receives the asset or gets it back.
 */
export async function decisionsOf(
  tx: Tx,
  { assetId, domainId, informationTypeId }: Question,
  visibility: Visibility,
  limit: number,
): Promise<PastDecision[]> {
  const rows = await tx.query<Omit<PastDecision, 'decidedAt'> & { decidedAt: Date }>(sql`
    select d.decision_id as "decisionId", case when own then d.candidate_id end as "candidateId", d.decision,
           t.information_type_id as "correctedInformationTypeId", d.routed_domain_id as "routedDomainId",
           d.note, d.training_eligible as "trainingEligible", d.revision,
           case when own or d.note is not null then d.principal_id end as "principalId",
           case when own or d.note is not null then p.display_name end as "principalName", d.created_at as "decidedAt"
      from decisions d
      join candidates k on k.tenant_id = d.tenant_id and k.candidate_id = d.candidate_id
     cross join lateral (select ${withinDomains(visibility, sql`k.domain_id`)} as own) whose
      join principals p on p.tenant_id = d.tenant_id and p.principal_id = d.principal_id
      left join information_types t
        on t.tenant_id = d.tenant_id and t.information_type_id = d.corrected_information_type_id
       and ${withinDomains(visibility, sql`t.domain_id`)}
     where d.tenant_id = ${tx.tenantId} and d.asset_id = ${assetId}
       and (k.domain_id = ${domainId} or d.routed_domain_id = ${domainId}
            or d.corrected_information_type_id = ${informationTypeId}
            or (d.decision = 'not_a_match' and exists (
              select from decisions sent
                join candidates sender
                  on sender.tenant_id = sent.tenant_id and sender.candidate_id = sent.candidate_id
               where sent.tenant_id = d.tenant_id and sent.asset_id = d.asset_id and sender.domain_id = ${domainId}
                 and sent.created_at <= d.created_at
                 and case when k.information_type_id is null then sent.routed_domain_id = k.domain_id
                          else sent.corrected_information_type_id = k.information_type_id end)))
     order by d.created_at desc, d.decision_id desc limit ${limit}`);
  return rows.map((row) => ({ ...row, decidedAt: row.decidedAt.toISOString() }));
}
