import { type Statement, sql } from '../db/sql.ts';
import { questionValue } from './value.sql.ts';

/**
 * The type that `candidates k` counts under: the one that it was confirmed as, otherwise the one that is asked about. Null
 * if it was confirmed as a type of another domain, where the candidate of that type counts. The placements of its asset
 * follow the same rule (`placements_of`).
 */
export const countedType = sql`
  case when k.status = 'confirmed' and k.decision_id is not null then (
    select t.information_type_id
      from decisions d
      left join information_types t
        on t.tenant_id = d.tenant_id and t.domain_id = k.domain_id
       and t.information_type_id = coalesce(d.corrected_information_type_id, k.information_type_id)
     where d.tenant_id = k.tenant_id and d.decision_id = k.decision_id)
  else k.information_type_id end`;

/**
 * The columns of candidates that are counted and filtered by, with `information_type_id` as `countedType`. A correction
 * counts once: the candidate that it was given on, and not those of the domain that it confirmed as the same type.
 */
export const countedCandidates: Statement = sql`(
  select k.tenant_id, k.candidate_id, k.asset_id, k.domain_id, ${countedType} as information_type_id, k.status, k.band,
         k.confidence, ${questionValue(sql`k`)} as value, k.created_at, k.decision_id, k.asset_active
    from candidates k
   where k.status <> 'confirmed' or not exists (
     select from decisions d
       join candidates o on o.tenant_id = d.tenant_id and o.candidate_id = d.candidate_id
      where d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
        and d.corrected_information_type_id is not null and d.candidate_id <> k.candidate_id
        and o.decision_id = d.decision_id and o.domain_id = k.domain_id))`;
