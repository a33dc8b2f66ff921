import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinDomains } from '../governance/read.ts';
import { newId, type PrincipalId } from '../kernel/ids.ts';
import type { CandidateStatus, DecisionContent, LatestDecision, Statement } from './decision.ts';

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

/** Locks a candidate within the reader's domains: those who decide at once do so one after the other. */
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
       for update of k`);
  return row ?? null;
}

/** The decision that the candidate's revision stands for, with its assertion; null before the first. */
export async function latestDecision(
  tx: Tx,
  { candidateId, revision }: LockedCandidate,
): Promise<(LatestDecision & { assertionId: string }) | null> {
  const [row] = await tx.query<LatestDecision & { assertionId: string }>(sql`
    select d.decision_id as "decisionId", d.principal_id as "principalId", d.decision,
           d.corrected_information_type_id as "correctedInformationTypeId", d.routed_domain_id as "routedDomainId",
           d.note, d.training_eligible as "trainingEligible", d.created_at as "decidedAt",
           s.assertion_id as "assertionId"
      from decisions d
      join assertions s on s.tenant_id = d.tenant_id and s.asset_id = d.asset_id and s.decision_id = d.decision_id
     where d.tenant_id = ${tx.tenantId} and d.candidate_id = ${candidateId} and d.revision = ${revision}`);
  return row ?? null;
}

/**
 * Adds a decision and its assertion, and moves the candidate. The assertion answers what asked: the inferred one
 * behind the candidate, or that of the decision which sent the asset to this domain.
 * @returns the assertion's id and the candidate's new revision
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
): Promise<{ assertionId: string; revision: number }> {
  const at = new Date(made.now);
  const decisionId = newId('dec', made.now);
  const assertionId = newId('asn', made.now);
  const revision = candidate.revision + 1;
  const { tenantId } = tx;
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
                 where d.tenant_id = ${tenantId} and d.asset_id = ${candidate.assetId}
                   and d.routed_domain_id = ${candidate.domainId}
                 order by d.created_at desc, d.decision_id desc limit 1)
             end, ${at}
    )
    update candidates set status = ${made.status}, revision = ${revision}, updated_at = ${at}
     where tenant_id = ${tenantId} and candidate_id = ${candidate.candidateId}`);
  return { assertionId, revision };
}

/**
 * Asks another domain about an asset. Where it was asked before, the question is opened again if it was put off,
 * withdrawn or passed on; an answer stands.
 */
export async function routeToDomain(tx: Tx, assetId: string, domainId: string, now: number): Promise<void> {
  const at = new Date(now);
  await tx.query(sql`
    insert into candidates (tenant_id, candidate_id, asset_id, domain_id, band, created_at, updated_at)
    values (${tx.tenantId}, ${newId('cnd', now)}, ${assetId}, ${domainId}, 'routed', ${at}, ${at})
    on conflict on constraint candidates_once do update set status = 'pending', updated_at = excluded.updated_at
     where candidates.status in ('deferred', 'withdrawn', 'routed')`);
}

/** A correction to a type answers the question whether the asset is of that type, so it is no longer asked. */
export async function withdrawAnswered(
  tx: Tx,
  assetId: string,
  informationTypeId: string,
  now: number,
): Promise<void> {
  await tx.query(sql`
    update candidates set status = 'withdrawn', updated_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId} and information_type_id = ${informationTypeId}
       and status in ('pending', 'deferred')`);
}
