import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinDomains } from '../governance/read.ts';
import { newId, type PrincipalId } from '../kernel/ids.ts';
import type { CandidateStatus, DecisionContent, StandingDecision, Statement } from './decision.ts';

/** A candidate whose row is locked until the transaction ends. */
export type LockedCandidate = {
  candidateId: string;
  assetId: string;
  domainId: string;
  informationTypeId: string | null;
  inferenceId: string | null;
  status: CandidateStatus;
  revision: number;
};

/**
 * Locks a candidate within the reader's domains. A decision may move other candidates of the asset, so those who decide
 * of one asset at once do so one after the other. The asset is locked first, as a scan does.
 */
export async function lockCandidate(
  tx: Tx,
  candidateId: string,
  visibility: Visibility,
): Promise<LockedCandidate | null> {
  const [row] = await tx.query<LockedCandidate>(sql`
    select k.candidate_id as "candidateId", k.asset_id as "assetId", k.domain_id as "domainId",
           k.information_type_id as "informationTypeId", k.inference_id as "inferenceId", k.status, k.revision
      from candidates k join assets a on a.tenant_id = k.tenant_id and a.asset_id = k.asset_id
     where k.tenant_id = ${tx.tenantId} and k.candidate_id = ${candidateId} and a.status = 'active'
       and ${withinDomains(visibility, sql`k.domain_id`)}
       for no key update of a, k`);
  return row ?? null;
}

/** The decision by which the candidate has its status, with its assertion; null where none did. */
export async function standingDecision(
  tx: Tx,
  { candidateId }: LockedCandidate,
): Promise<(StandingDecision & { assertionId: string }) | null> {
  const [row] = await tx.query<StandingDecision & { assertionId: string }>(sql`
    select d.candidate_id as "candidateId", d.principal_id as "principalId", d.decision,
           d.corrected_information_type_id as "correctedInformationTypeId", d.routed_domain_id as "routedDomainId",
           d.note, d.training_eligible as "trainingEligible", d.created_at as "decidedAt",
           s.assertion_id as "assertionId"
      from candidates k
      join decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
      join assertions s on s.tenant_id = d.tenant_id and s.asset_id = d.asset_id and s.decision_id = d.decision_id
     where k.tenant_id = ${tx.tenantId} and k.candidate_id = ${candidateId}`);
  return row ?? null;
}

/**
 * Adds a decision and its assertion, and moves the candidate. The assertion answers what asked: the inferred one
 * behind the candidate, or that of the decision which sent the asset to this domain or named this type.
 * @returns the decision's and the assertion's id and the candidate's new revision
 */
export async function insertDecision(
  tx: Tx,
  candidate: LockedCandidate,
  content: DecisionContent,
  made: {
    principalId: PrincipalId;
    status: CandidateStatus;
    statement: Statement;
    domainId: string;
    informationTypeId: string | null;
    now: number;
  },
): Promise<{ decisionId: string; assertionId: string; revision: number }> {
  const at = new Date(made.now);
  const decisionId = newId('dec', made.now);
  const assertionId = newId('asn', made.now);
  const revision = candidate.revision + 1;
  const { tenantId } = tx;
  const sentBy =
    candidate.informationTypeId === null
      ? sql`d.routed_domain_id = ${candidate.domainId}`
      : sql`d.corrected_information_type_id = ${candidate.informationTypeId}`;
  await tx.query(sql`
    with decided as (
      insert into decisions (tenant_id, decision_id, candidate_id, asset_id, inference_id, principal_id, decision,
                             corrected_information_type_id, routed_domain_id, note, training_eligible, revision,
                             created_at)
      values (${tenantId}, ${decisionId}, ${candidate.candidateId}, ${candidate.assetId}, ${candidate.inferenceId},
              ${made.principalId}, ${content.decision}, ${content.correctedInformationTypeId},
              ${content.routedDomainId}, ${content.note}, ${content.trainingEligible}, ${revision}, ${at})
    ), asserted as (
      insert into assertions (tenant_id, assertion_id, asset_id, kind, statement, domain_id, information_type_id,
                              decision_id, answers_assertion_id, created_at)
      select ${tenantId}, ${assertionId}, ${candidate.assetId}, 'human', ${made.statement}, ${made.domainId},
             ${made.informationTypeId}, ${decisionId},
             case when ${candidate.inferenceId}::text is not null then
               (select assertion_id from assertions
                 where tenant_id = ${tenantId} and inference_id = ${candidate.inferenceId} and kind = 'inferred')
             else
               (select s.assertion_id from decisions d
                  join assertions s
                    on s.tenant_id = d.tenant_id and s.asset_id = d.asset_id and s.decision_id = d.decision_id
                 where d.tenant_id = ${tenantId} and d.asset_id = ${candidate.assetId} and ${sentBy}
                 order by d.created_at desc, d.decision_id desc limit 1)
             end, ${at}
    )
    update candidates set status = ${made.status}, decision_id = ${decisionId}, revision = ${revision},
                          updated_at = ${at}
     where tenant_id = ${tenantId} and candidate_id = ${candidate.candidateId}`);
  return { decisionId, assertionId, revision };
}
