import { sql } from '../db/sql.ts';

/**
 * Of `candidates o` and `k` of one asset: whether one answer is for both. What waits about an asset in a domain is one
 * question, however many types it is about, and what one answer closed stays one. A candidate that an answer closed only
 * by naming its type was no part of the question.
 */
export const isOneQuestion = sql`
  (k.domain_id = o.domain_id and case
     when o.status = 'pending' then k.status = 'pending'
     else k.decision_id = o.decision_id and not exists (
       select from decisions d
        where d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
          and (d.candidate_id <> k.candidate_id and d.corrected_information_type_id = k.information_type_id
               or d.candidate_id <> o.candidate_id and d.corrected_information_type_id = o.information_type_id))
     end)`;
