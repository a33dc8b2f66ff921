import { type Statement, sql } from '../db/sql.ts';

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

/** Condition on a candidate: a colleague sent the asset, and nobody of the domain has answered since. */
export const isUnanswered = (candidate: Statement): Statement => sql`(
  ${candidate}.information_type_id is null and ${candidate}.status = 'pending' and ${candidate}.asked_because = 'routed')`;
