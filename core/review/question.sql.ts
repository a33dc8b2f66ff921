import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/**
 * Condition on a candidate and `decisions d`, which gave it its status: the decision was given on another candidate,
 * and confirmed this one only by naming its type.
 * @param candidate alias of the candidate
 */
export const isNamedBy = (candidate: Statement): Statement => sql`coalesce(
  d.candidate_id <> ${candidate}.candidate_id and d.corrected_information_type_id = ${candidate}.information_type_id, false)`;

/**
 * Condition on `candidates o` and `k` of one asset: both belong to one question. Pending candidates of one domain
 * form one question. Candidates that one decision answered stay one question, except those that it confirmed only by
 * naming their type.
 */
export const isOneQuestion = sql`
  (k.domain_id = o.domain_id and case
     when o.status = 'pending' then k.status = 'pending'
     else k.decision_id = o.decision_id and not exists (
       select from decisions d
        where d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
          and (${isNamedBy(sql`k`)} or ${isNamedBy(sql`o`)}))
     end)`;

/**
 * All candidates of an asset. The fence forces a lookup by asset id, even if the planner has no statistics of the
 * tenant.
 */
export const candidatesOf = (tx: Tx, assetId: Statement): Statement => sql`(
  select * from candidates where tenant_id = ${unpeeked(tx.tenantId)} and asset_id = ${assetId} ${FENCE})`;

/** The revision of the question that a candidate belongs to. */
export const questionRevision = (candidate: Statement): Statement =>
  revisionOf(sql`${candidate}.tenant_id`, sql`${candidate}.asset_id`, sql`${candidate}.domain_id`);

const revisionOf = (tenantId: Statement, assetId: Statement, domainId: Statement): Statement =>
  sql`(select r.revision from question_revision(${tenantId}, ${assetId}, ${domainId}) r)`;

/**
 * The revision of a candidate that changes now. Candidates of one question that change by one statement get the same.
 * @param decidedDomainId the domain of the decision that this change follows from. The decision has raised the revision
 *   of its own question, which nobody has read yet.
 */
export const nextRevision = (candidate: Statement, decidedDomainId: string | null = null): Statement =>
  sql`${questionRevision(candidate)} + (${candidate}.domain_id is distinct from ${decidedDomainId})::integer`;

/** The revision of a candidate that is created now. It is 0 for the first ones of a question. */
export const firstRevision = (
  candidate: { tenantId: string; assetId: Statement; domainId: Statement },
  decidedDomainId: string | null = null,
): Statement => sql`coalesce(
  ${revisionOf(sql`${candidate.tenantId}::text`, candidate.assetId, candidate.domainId)}
  + (${candidate.domainId} is distinct from ${decidedDomainId})::integer, 0)`;

/**
 * Condition on a candidate: it represents a group about which nobody has been asked. The release before does not lower the
 * flag, but such a question has another reason or a basis by then.
 */
export const isRepresentative = (candidate: Statement): Statement => sql`(
  ${candidate}.representative and ${candidate}.asked_because = 'inferred' and ${candidate}.basis is null)`;

/** Condition on a candidate: a colleague sent the asset, and nobody of the domain has answered since. */
export const isUnanswered = (candidate: Statement): Statement => sql`(
  ${candidate}.information_type_id is null and ${candidate}.status = 'pending' and ${candidate}.asked_because = 'routed')`;

/** Condition on `decisions d`, which sent its asset to another domain: nobody there has answered since. */
export const isUnansweredThere = sql`exists (
  select from candidates sent
   where sent.tenant_id = d.tenant_id and sent.asset_id = d.asset_id and sent.domain_id = d.routed_domain_id
     and ${isUnanswered(sql`sent`)})`;
