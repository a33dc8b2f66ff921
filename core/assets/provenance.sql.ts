import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { bounded } from '../kernel/list.ts';
import { isSameContent } from './same-content.sql.ts';

/**
 * One assertion in the provenance chain of an asset. An inferred one has the model's confidence. A human one has its
 * decision and the assertion that it answers. `routedDomainName` is null if the reader may not see that domain.
 */
export const AssertionSchema = z.object({
  assertionId: z.string(),
  kind: z.enum(['inferred', 'human']),
  statement: z.enum(['belongs_to', 'does_not_belong_to', 'belongs_not_sensitive', 'needs_more_evidence']),
  domainId: z.string(),
  domainName: z.string(),
  informationTypeId: z.string().nullable(),
  informationTypeName: z.string().nullable(),
  inferenceId: z.string().nullable(),
  confidence: z.number().nullable(),
  decisionId: z.string().nullable(),
  decision: z.string().nullable(),
  routedDomainId: z.string().nullable(),
  routedDomainName: z.string().nullable(),
  principalId: z.string().nullable(),
  principalName: z.string().nullable(),
  answersAssertionId: z.string().nullable(),
  /** Whether the asset still has the content that a person's assertion is about. Null for inferred assertions. */
  isAboutPresentContent: z.boolean().nullable(),
  createdAt: z.iso.datetime(),
});

export type Assertion = z.infer<typeof AssertionSchema>;

const LIMIT = 200;

/**
 * The newest assertions of an asset, in the order of their creation. It includes those about the reader's domains,
 * those of their owners, those that routed the asset to these domains, and those by which another domain rejected
 * what these owners had sent or named. Types of other domains are left out. So are people of other domains, unless
 * they wrote a note.
 */
export async function readProvenance(
  tx: Tx,
  assetId: string,
  visibility: Visibility,
): Promise<{ items: Assertion[]; truncated: boolean }> {
  const rows = await tx.query<Omit<Assertion, 'createdAt'> & { createdAt: Date }>(sql`
    select s.assertion_id as "assertionId", s.kind, s.statement, s.domain_id as "domainId", m.name as "domainName",
           t.information_type_id as "informationTypeId", t.name as "informationTypeName",
           s.inference_id as "inferenceId", i.confidence, s.decision_id as "decisionId", d.decision,
           d.routed_domain_id as "routedDomainId", o.name as "routedDomainName", p.principal_id as "principalId",
           p.display_name as "principalName",
           s.answers_assertion_id as "answersAssertionId", s.created_at as "createdAt",
           case when d.decision_id is not null then ${isSameContent} end as "isAboutPresentContent"
      from assertions s
      join assets a on a.tenant_id = s.tenant_id and a.asset_id = s.asset_id
      join domains m on m.tenant_id = s.tenant_id and m.domain_id = s.domain_id
      left join information_types t
        on t.tenant_id = s.tenant_id and t.information_type_id = s.information_type_id
       and ${withinDomains(visibility, sql`t.domain_id`)}
      left join inferences i on i.tenant_id = s.tenant_id and i.inference_id = s.inference_id and s.kind = 'inferred'
      left join decisions d on d.tenant_id = s.tenant_id and d.decision_id = s.decision_id
      left join candidates k on k.tenant_id = d.tenant_id and k.candidate_id = d.candidate_id
      left join domains o
        on o.tenant_id = d.tenant_id and o.domain_id = d.routed_domain_id
       and ${withinDomains(visibility, sql`o.domain_id`)}
      left join principals p
        on p.tenant_id = d.tenant_id and p.principal_id = d.principal_id
       and (${withinDomains(visibility, sql`k.domain_id`)} or d.note is not null)
     where s.tenant_id = ${tx.tenantId} and s.asset_id = ${assetId}
       and (${withinDomains(visibility, sql`s.domain_id`)} or ${withinDomains(visibility, sql`k.domain_id`)}
            or ${withinDomains(visibility, sql`d.routed_domain_id`)}
            or (d.decision = 'not_a_match' and exists (
              select 1 from (
                select candidate_id from decisions r
                 where r.tenant_id = s.tenant_id and r.asset_id = s.asset_id and r.routed_domain_id = k.domain_id
                   and k.information_type_id is null
                union all
                select candidate_id from decisions r
                 where r.tenant_id = s.tenant_id and r.asset_id = s.asset_id
                   and r.corrected_information_type_id = k.information_type_id) sent
                join candidates sender on sender.tenant_id = s.tenant_id and sender.candidate_id = sent.candidate_id
               where ${withinDomains(visibility, sql`sender.domain_id`)})))
     order by s.created_at desc, s.assertion_id desc limit ${LIMIT + 1}`);
  const { items, truncated } = bounded(rows, LIMIT);
  return {
    items: items.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })).reverse(),
    truncated,
  };
}
