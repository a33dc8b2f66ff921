import { isSameContent, lookedAtContentVersion } from '../assets/same-content.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { type AssetId, newId, type PrincipalId } from '../kernel/ids.ts';
import { effectiveExcerpts, effectiveSignals } from '../signals/effective-signals.sql.ts';
import type { CandidateStatus } from './candidate-states.ts';
import type { CurrentDecision, DecisionContent, Statement } from './decision.ts';
import { isNamedBy, isOneQuestion, questionRevision } from './question.sql.ts';
import type { Member } from './question-changes.ts';

/** A candidate whose row is locked until the transaction ends. */
export type LockedCandidate = {
  candidateId: string;
  assetId: AssetId;
  domainId: string;
  informationTypeId: string | null;
  inferenceId: string | null;
  status: CandidateStatus;
};

const LOCKED = sql`
  k.candidate_id as "candidateId", k.asset_id as "assetId", k.domain_id as "domainId",
  k.information_type_id as "informationTypeId", k.inference_id as "inferenceId", k.status`;

/**
 * Locks a candidate within the reader's domains. It locks the asset first, as a scan does. A decision may change
 * other candidates of the asset, so decisions on one asset must wait for each other.
 */
export async function lockCandidate(
  tx: Tx,
  candidateId: string,
  visibility: Visibility,
): Promise<LockedCandidate | null> {
  const [row] = await tx.query<LockedCandidate>(sql`
    select ${LOCKED}
      from candidates k join assets a on a.tenant_id = k.tenant_id and a.asset_id = k.asset_id
     where k.tenant_id = ${tx.tenantId} and k.candidate_id = ${candidateId} and a.status = 'active'
       and ${withinDomains(visibility, sql`k.domain_id`)}
       for no key update of a, k`);
  return row ?? null;
}

/** The question of a locked candidate. Read it after the lock, because its candidates may have changed until then. */
export async function readQuestion(
  tx: Tx,
  { assetId, domainId }: LockedCandidate,
): Promise<{ revision: number; members: Member[] }> {
  const members = await tx.query<Member & { questionRevision: number }>(sql`
    select t.name as "informationTypeName", k.status, k.revision, k.standing_revision as "statusRevision",
           k.content_revision as "contentRevision", ${questionRevision(sql`k`)} as "questionRevision"
      from candidates k
      left join information_types t
        on t.tenant_id = k.tenant_id and t.information_type_id = k.information_type_id
     where k.tenant_id = ${tx.tenantId} and k.asset_id = ${assetId} and k.domain_id = ${domainId}
     order by k.candidate_id`);
  return { revision: members[0]?.questionRevision ?? 0, members };
}

/** Locks and returns the other candidates of a candidate's question. */
export const lockOthersOfQuestion = (
  tx: Tx,
  { candidateId, assetId }: LockedCandidate,
): Promise<LockedCandidate[]> =>
  tx.query<LockedCandidate>(sql`
    select ${LOCKED}
      from candidates o
      join candidates k on k.tenant_id = o.tenant_id and k.asset_id = o.asset_id and ${isOneQuestion}
     where o.tenant_id = ${tx.tenantId} and o.candidate_id = ${candidateId}
       and k.tenant_id = ${tx.tenantId} and k.asset_id = ${assetId} and k.candidate_id <> o.candidate_id
     order by k.candidate_id
       for no key update of k`);

/**
 * The decision by which the candidate has its status, with its assertion. Null if no decision gave it. `isOwn`: the
 * decision was given on this candidate, and did not merely name its type to correct another one.
 */
export async function currentDecision(
  tx: Tx,
  { candidateId }: LockedCandidate,
): Promise<(CurrentDecision & { assertionId: string }) | null> {
  const [row] = await tx.query<CurrentDecision & { assertionId: string }>(sql`
    select not ${isNamedBy(sql`k`)} as "isOwn", ${isSameContent} as "isAboutPresentContent",
           d.principal_id as "principalId", d.decision,
           d.corrected_information_type_id as "correctedInformationTypeId", d.routed_domain_id as "routedDomainId",
           d.note, d.training_eligible as "trainingEligible", d.created_at as "decidedAt",
           s.assertion_id as "assertionId"
      from candidates k
      join assets a on a.tenant_id = k.tenant_id and a.asset_id = k.asset_id
      join decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
      join assertions s on s.tenant_id = d.tenant_id and s.asset_id = d.asset_id and s.decision_id = d.decision_id
     where k.tenant_id = ${tx.tenantId} and k.candidate_id = ${candidateId}
     -- First the assertion that answers the inferred one of this candidate, if there is one.
     order by exists (select from assertions i
                       where i.tenant_id = s.tenant_id and i.assertion_id = s.answers_assertion_id
                         and i.inference_id = k.inference_id) desc, s.assertion_id
     limit 1`);
  return row ?? null;
}

/** What a decision changes: the new status of the candidates, and the statement of their assertions. */
export type Made = {
  principalId: PrincipalId;
  status: CandidateStatus;
  statement: Statement;
  /** The domain that the statement is about. */
  domainId: string;
  /** The type that the statement is about: that of each candidate, or the same for all. */
  type: 'of_each' | { informationTypeId: string | null };
  /** The revision that it gives the question. */
  revision: number;
  now: number;
};

/**
 * Stores a decision with the evidence that it is given on, adds an assertion for each candidate of the question, and
 * updates the candidates. Each assertion answers the inferred assertion of its candidate, or the assertion of the
 * decision that sent the asset here or named this type.
 * @returns ids of the decision and of the assertion of the first candidate
 */
export async function insertDecision(
  tx: Tx,
  [candidate, ...others]: readonly [LockedCandidate, ...LockedCandidate[]],
  content: DecisionContent,
  made: Made,
): Promise<{ decisionId: string; assertionId: string }> {
  const at = new Date(made.now);
  const decisionId = newId('dec', made.now);
  const { tenantId } = tx;
  const assertionId = newId('asn', made.now);
  const members = [candidate, ...others].map(({ candidateId, informationTypeId }) => ({
    candidate_id: candidateId,
    assertion_id: candidateId === candidate.candidateId ? assertionId : newId('asn', made.now),
    stated_type_id: made.type === 'of_each' ? informationTypeId : made.type.informationTypeId,
  }));
  await tx.query(sql`
    with decided as (
      insert into decisions (tenant_id, decision_id, candidate_id, asset_id, inference_id, principal_id, decision,
                             corrected_information_type_id, routed_domain_id, note, training_eligible, revision,
                             created_at, content_version, content_hash, evidence_key, evidence, shingles)
      select ${tenantId}, ${decisionId}, ${candidate.candidateId}, a.asset_id, ${candidate.inferenceId},
             ${made.principalId}, ${content.decision}, ${content.correctedInformationTypeId},
             ${content.routedDomainId}, ${content.note}, ${content.trainingEligible}, ${made.revision}, ${at},
             ${lookedAtContentVersion}, a.content_hash, f.features_key,
             jsonb_build_object(
               'assetName', a.name,
               'spellings', case when n.data_handling_profile <> 'metadata_only' then f.features -> 'spellings' end,
               'signals', coalesce((select jsonb_agg(signal - 'positions' - 'detectorVersion')
                                      from jsonb_array_elements(${effectiveSignals(sql`a`)}) as signal), '[]'),
               'types', coalesce((
                 select jsonb_agg(jsonb_build_object('informationTypeId', i.information_type_id, 'confidence', i.confidence)
                                  order by i.confidence desc, i.information_type_id)
                   from inferences i
                   join ensembles e on e.tenant_id = i.tenant_id and e.active and i.confidence >= e.candidate_threshold
                  where i.tenant_id = a.tenant_id and i.asset_id = a.asset_id
                    and i.inference_key = a.stage_keys ->> 'inference'), '[]')),
             s.shingles
        from assets a
        join tenants n on n.tenant_id = a.tenant_id
        left join asset_features f on f.tenant_id = a.tenant_id and f.asset_id = a.asset_id
        left join asset_sketches s on s.tenant_id = a.tenant_id and s.asset_id = a.asset_id
       where a.tenant_id = ${tenantId} and a.asset_id = ${candidate.assetId}
    ), shown as (
      insert into decision_excerpts (tenant_id, decision_id, excerpts, created_at)
      select ${tenantId}, ${decisionId}, ${effectiveExcerpts(sql`f.excerpts`, sql`f`)}, ${at}
        from asset_features f join tenants n on n.tenant_id = f.tenant_id
       where f.tenant_id = ${tenantId} and f.asset_id = ${candidate.assetId} and f.excerpts <> '[]'
         and n.data_handling_profile <> 'metadata_only'
         for share of n
    ), members as (
      select m.*, k.domain_id, k.information_type_id, k.inference_id, k.earlier_decision_id
        from jsonb_to_recordset(${sql.json(members)}::jsonb) as m (candidate_id text, assertion_id text, stated_type_id text)
        join candidates k on k.tenant_id = ${tenantId} and k.candidate_id = m.candidate_id
    ), asserted as (
      insert into assertions (tenant_id, assertion_id, asset_id, kind, statement, domain_id, information_type_id,
                              decision_id, answers_assertion_id, created_at)
      select ${tenantId}, m.assertion_id, ${candidate.assetId}, 'human', ${made.statement}, ${made.domainId},
             m.stated_type_id, ${decisionId},
             case when m.inference_id is not null then
               (select assertion_id from assertions
                 where tenant_id = ${tenantId} and inference_id = m.inference_id and kind = 'inferred')
             else
               (select s.assertion_id from decisions d
                  join assertions s
                    on s.tenant_id = d.tenant_id and s.asset_id = d.asset_id and s.decision_id = d.decision_id
                 where d.tenant_id = ${tenantId} and d.asset_id = ${candidate.assetId}
                   and (d.decision_id = m.earlier_decision_id
                        or case when m.information_type_id is null then d.routed_domain_id = m.domain_id
                                else d.corrected_information_type_id = m.information_type_id end)
                 order by d.created_at desc, d.decision_id desc, s.assertion_id limit 1)
             end, ${at}
        from members m
    )
    update candidates k
       set status = ${made.status}, decision_id = ${decisionId}, revision = ${made.revision}, updated_at = ${at},
           earlier_decision_id = null, changes = '[]'
      from members m
     where k.tenant_id = ${tenantId} and k.candidate_id = m.candidate_id`);
  return { decisionId, assertionId };
}
