import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { PastDecisionSchema } from './candidate-schema.ts';
import type { Question } from './question-row.sql.ts';

type PastDecision = z.infer<typeof PastDecisionSchema>;

/**
 * The decisions of a question, those that sent its asset to its domain or named its type, and those that refused what
 * this question sent away; newest first. A type of a domain that the reader may not see is left out. So is the
 * candidate of another domain's decision. Its person is left out unless they wrote a note, because a note is meant
 * for the domain that receives the asset or gets it back.
 */
export async function decisionsOf(
  tx: Tx,
  { assetId, domainId, informationTypeId }: Question,
  visibility: Visibility,
  limit: number,
): Promise<PastDecision[]> {
  const rows = await tx.query<Omit<PastDecision, 'decidedAt'> & { decidedAt: Date }>(sql`
    select d.decision_id as "decisionId", case when own then d.candidate_id end as "candidateId", d.decision,
           t.information_type_id as "correctedInformationTypeId", d.routed_domain_id as "routedDomainId",
           d.note, d.training_eligible as "trainingEligible", d.revision,
           case when own or d.note is not null then d.principal_id end as "principalId",
           case when own or d.note is not null then p.display_name end as "principalName", d.created_at as "decidedAt"
      from decisions d
      join candidates k on k.tenant_id = d.tenant_id and k.candidate_id = d.candidate_id
     cross join lateral (select ${withinDomains(visibility, sql`k.domain_id`)} as own) whose
      join principals p on p.tenant_id = d.tenant_id and p.principal_id = d.principal_id
      left join information_types t
        on t.tenant_id = d.tenant_id and t.information_type_id = d.corrected_information_type_id
       and ${withinDomains(visibility, sql`t.domain_id`)}
     where d.tenant_id = ${tx.tenantId} and d.asset_id = ${assetId}
       and (k.domain_id = ${domainId} or d.routed_domain_id = ${domainId}
            or d.corrected_information_type_id = ${informationTypeId}
            or (d.decision = 'not_a_match' and exists (
              select from decisions sent
                join candidates sender
                  on sender.tenant_id = sent.tenant_id and sender.candidate_id = sent.candidate_id
               where sent.tenant_id = d.tenant_id and sent.asset_id = d.asset_id and sender.domain_id = ${domainId}
                 and sent.created_at <= d.created_at
                 and case when k.information_type_id is null then sent.routed_domain_id = k.domain_id
                          else sent.corrected_information_type_id = k.information_type_id end)))
     order by d.created_at desc, d.decision_id desc limit ${limit}`);
  return rows.map((row) => ({ ...row, decidedAt: row.decidedAt.toISOString() }));
}
