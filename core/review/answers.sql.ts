import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Answer } from '../inference/answers-so-far.ts';
import { BY_ANSWERS } from '../inference/inference.ts';

/** Older answers say less of the documents of today, and the bound limits the cost. */
const MAX_DECISIONS = 1_000;

/**
 * What the newest valid decisions say of the inferences that their owners saw, if those are by the weights in force.
 * A correction speaks for the type that it names and against the type of the question.
 */
export const newestAnswers = (tx: Tx): Promise<Answer[]> =>
  tx.query<Answer>(sql`
    select k.domain_id as "domainId", k.information_type_id as "informationTypeId",
           k.status = 'confirmed'
             and coalesce(d.corrected_information_type_id, k.information_type_id) = k.information_type_id as "isTheirs",
           (select sum((said ->> 'value')::double precision) from jsonb_array_elements(i.contributions) said
             where said ->> 'name' <> all (${[...BY_ANSWERS]}::text[])) as "logOdds"
      from (select * from decisions where tenant_id = ${tx.tenantId} order by decision_id desc limit ${MAX_DECISIONS}) d
      join candidates k on k.tenant_id = d.tenant_id and k.asset_id = d.asset_id and k.decision_id = d.decision_id
      join inferences i on i.tenant_id = k.tenant_id and i.inference_id = k.inference_id
     where k.status in ('confirmed', 'rejected', 'routed')
       and i.ensemble_version = any(array(
         select same.version from ensembles same join ensembles e on e.tenant_id = same.tenant_id and e.active
          where same.tenant_id = ${tx.tenantId} and same.learned is not distinct from e.learned))`);
