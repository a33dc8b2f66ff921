import { type Statement, sql } from '../db/sql.ts';

/**
 * Of a candidate and `decisions d`, by which it has its status: whether the decision was given about another candidate, and
 * closed this one only by naming its type.
 * @param candidate alias of the candidate
 */
export const isNamedBy = (candidate: Statement): Statement => sql`coalesce(
  d.candidate_id <> ${candidate}.candidate_id and d.corrected_information_type_id = ${candidate}.information_type_id, false)`;

/**
 * Of `candidates o` and `k` of one asset: whether one answer is for both. What waits about an asset in a domain is one
 * question, however many types it is about, and what one answer closed stays one, save for what it only named.
 */
export const isOneQuestion = sql`
  (k.domain_id = o.domain_id and case
     when o.status = 'pending' then k.status = 'pending'
     else k.decision_id = o.decision_id and not exists (
       select from decisions d
        where d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
          and (${isNamedBy(sql`k`)} or ${isNamedBy(sql`o`)}))
     end)`;

/** Of a candidate: whether a colleague sent the asset, and nobody of its domain has answered since. */
export const isUnanswered = (candidate: Statement): Statement => sql`(
  ${candidate}.information_type_id is null and ${candidate}.status = 'pending' and ${candidate}.asked_because = 'routed')`;
