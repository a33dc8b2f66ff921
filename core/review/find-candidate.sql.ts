import type { z } from 'zod';
import { isSameContent, judgedContentVersion } from '../assets/same-content.sql.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import type { Grant } from '../connectors/connector.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { builtInTitles } from '../detectors/on-demand.ts';
import type { Contribution } from '../inference/inference.ts';
import { joinScoring, scoredVersion } from '../inference/scorings.sql.ts';
import type { Spellings } from '../inference/spellings.ts';
import { effectiveSignals } from '../signals/effective-signals.sql.ts';
import type { CandidateDetailSchema } from './candidate-schema.ts';
import type { Decision } from './decision.ts';
import type { DecisionReader } from './decision-list.sql.ts';
import { isOneQuestion, isUnansweredThere } from './question.sql.ts';
import {
  type CandidateRow,
  COLUMNS,
  joined,
  keepsText,
  type Question,
  toQuestion,
} from './question-row.sql.ts';
import { basisOf } from './summary.ts';

type Detail = z.infer<typeof CandidateDetailSchema>;

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
 * `revisableSince`, and one that the reader has sent to another domain while nobody there has answered.
 */
export async function findCandidate(
  tx: Tx,
  candidateId: string,
  { principalId, visibility, revisableSince }: DecisionReader,
): Promise<CandidateRecord | null> {
  const [row] = await tx.query<DetailRow>(sql`
    select ${COLUMNS}, t.definition as "informationTypeDefinition",
           (select jsonb_build_object('informationTypeId', y.information_type_id, 'informationTypeName', y.name)
              from information_types y
             where k.status = 'confirmed' and y.tenant_id = k.tenant_id
               and y.information_type_id = coalesce(d.corrected_information_type_id, k.information_type_id)
               and ${withinDomains(visibility, sql`y.domain_id`)}) as "confirmedAs",
           a.mime_type as "mimeType", a.content_state as "contentState", a.content_reason as "contentReason", a.grants,
           ${effectiveSignals(sql`a`)} as signals,
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
            or (k.status = 'rejected' and d.created_at >= ${revisableSince})
            or (k.status = 'routed' and d.principal_id = ${principalId} and ${isUnansweredThere}))`);
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
