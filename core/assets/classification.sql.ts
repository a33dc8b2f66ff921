import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import { tyingCandidate } from './visibility.sql.ts';

/**
 * What is held of an asset in one domain. `confidence` is the model's in this information type: null where a person
 * named the type. `decision` is the latest one, null while the question is open.
 */
export const ClassificationSchema = z.object({
  candidateId: z.string(),
  domainId: z.string(),
  domainName: z.string(),
  informationTypeId: z.string().nullable(),
  informationTypeName: z.string().nullable(),
  confidence: z.number().nullable(),
  status: z.enum(['pending', 'deferred', 'confirmed']),
  decision: z.string().nullable(),
});

export type Classification = z.infer<typeof ClassificationSchema>;

/**
 * Rows of `ClassificationSchema` for `assets a` in the reader's domains, as the columns of the schema's names, the
 * firmest first: what an owner confirmed, then what the model is surest of. Of one information type where one is given.
 * A corrected type is told once: by the candidate of that type, or by the corrected one to who sees no other.
 */
export const classificationsOf = (visibility: Visibility, informationTypeId: string | null): Statement => sql`
  select k.candidate_id as "candidateId", k.domain_id as "domainId", m.name as "domainName",
         t.information_type_id as "informationTypeId", t.name as "informationTypeName",
         case when d.corrected_information_type_id is null then k.confidence end as confidence, k.status,
         case when k.status <> 'pending' then d.decision end as decision
    from (
      select distinct on (coalesce(k.decision_id, k.candidate_id)) k.*
        from candidates k
        left join decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
       where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and ${tyingCandidate(visibility)}
       order by coalesce(k.decision_id, k.candidate_id), d.candidate_id = k.candidate_id
    ) k
    join domains m on m.tenant_id = k.tenant_id and m.domain_id = k.domain_id
    left join decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
    left join information_types t
      on t.tenant_id = k.tenant_id
     and t.information_type_id = coalesce(d.corrected_information_type_id, k.information_type_id)
   where ${informationTypeId === null ? sql`true` : sql`t.information_type_id = ${informationTypeId}`}
   order by k.status = 'confirmed' desc, k.confidence desc nulls last, k.candidate_id`;
