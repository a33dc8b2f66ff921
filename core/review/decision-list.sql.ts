import { z } from 'zod';
import { isSameContent } from '../assets/same-content.sql.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { visibleAsset } from '../visibility/visibility.sql.ts';
import { withinDomains } from '../visibility/within-domains.sql.ts';
import { CandidateStatusSchema } from './candidate-states.ts';
import { DecisionSchema } from './decision.ts';
import { isUnanswered, questionRevision } from './question.sql.ts';

/** `revisable`: decisions that can be revised now. `deferred`: questions that were put off and still are. */
export const DECISION_STATES = ['revisable', 'deferred'] as const;

/** Whose decisions: the caller's, or those of all owners of the caller's domains. */
export const DECIDED_BY = ['me', 'anyone'] as const;

/**
 * A decision in one of the caller's domains. `assetName` is the name at the time of the decision, so that a reader
 * who may no longer see the asset does not learn its new name. It is null if a former release did not keep it.
 * `status` and `revision` are the present ones of the candidate.
 */
export const ListedDecisionSchema = z.object({
  decisionId: z.string(),
  candidateId: z.string(),
  assetId: z.string(),
  assetName: z.string().nullable(),
  domainId: z.string(),
  domainName: z.string(),
  informationTypeId: z.string().nullable(),
  informationTypeName: z.string().nullable(),
  decision: DecisionSchema,
  correctedInformationTypeId: z.string().nullable(),
  routedDomainId: z.string().nullable(),
  note: z.string().nullable(),
  principalId: z.string(),
  principalName: z.string(),
  decidedAt: z.iso.datetime(),
  status: CandidateStatusSchema,
  revision: z.int(),
  /** Whether the candidate still has its status by this decision. */
  stands: z.boolean(),
  isRevisable: z.boolean(),
  /** Null if the caller may no longer see the asset. */
  isAboutPresentContent: z.boolean().nullable(),
});
export type ListedDecision = z.infer<typeof ListedDecisionSchema>;

type DecisionFilter = {
  by: (typeof DECIDED_BY)[number];
  domainId?: string | undefined;
  state?: (typeof DECISION_STATES)[number] | undefined;
};

/**
 * Decisions in the domains that the caller owns now, the newest first; at most `limit`. A type of another domain is
 * left out.
 * @param revisableSince decisions made before this time cannot be revised
 */
export async function listDecisions(
  tx: Tx,
  { principalId }: Principal,
  visibility: Visibility,
  { by, domainId, state }: DecisionFilter,
  revisableSince: Date,
  limit: number,
): Promise<ListedDecision[]> {
  // The same rule as `refusal` in decision.ts.
  const isRevisable = sql`(k.decision_id = d.decision_id and a.status = 'active' and (
    k.status = 'deferred' or (k.status in ('confirmed', 'rejected') and d.created_at >= ${revisableSince})
    or (k.status = 'routed' and exists (
      select from candidates sent
       where sent.tenant_id = d.tenant_id and sent.asset_id = d.asset_id and sent.domain_id = d.routed_domain_id
         and ${isUnanswered(sql`sent`)}))))`;
  const asked =
    state === undefined
      ? sql`true`
      : state === 'revisable'
        ? sql`coalesce(${isRevisable}, false)`
        : sql`k.status = 'deferred' and k.decision_id = d.decision_id`;
  const rows = await tx.query<Omit<ListedDecision, 'decidedAt'> & { decidedAt: Date }>(sql`
    select d.decision_id as "decisionId", d.candidate_id as "candidateId", d.asset_id as "assetId",
           d.evidence ->> 'assetName' as "assetName", k.domain_id as "domainId", m.name as "domainName",
           k.information_type_id as "informationTypeId", t.name as "informationTypeName", d.decision,
           c.information_type_id as "correctedInformationTypeId", d.routed_domain_id as "routedDomainId",
           d.note, d.principal_id as "principalId", p.display_name as "principalName", d.created_at as "decidedAt", k.status,
           ${questionRevision(sql`k`)} as revision,
           coalesce(k.decision_id = d.decision_id, false) as stands, coalesce(${isRevisable}, false) as "isRevisable",
           case when ${visibleAsset(visibility)} then ${isSameContent} end as "isAboutPresentContent"
      from decisions d
      join candidates k on k.tenant_id = d.tenant_id and k.candidate_id = d.candidate_id
      join assets a on a.tenant_id = d.tenant_id and a.asset_id = d.asset_id
      join principals p on p.tenant_id = d.tenant_id and p.principal_id = d.principal_id
      join domains m on m.tenant_id = k.tenant_id and m.domain_id = k.domain_id
      left join information_types t
        on t.tenant_id = k.tenant_id and t.information_type_id = k.information_type_id
      left join information_types c
        on c.tenant_id = d.tenant_id and c.information_type_id = d.corrected_information_type_id
       and ${withinDomains(visibility, sql`c.domain_id`)}
     where d.tenant_id = ${tx.tenantId} and ${by === 'me' ? sql`d.principal_id = ${principalId}` : sql`true`}
       and ${withinDomains(visibility, sql`k.domain_id`)} and ${asked}
       and ${domainId === undefined ? sql`true` : sql`k.domain_id = ${domainId}`}
     order by d.created_at desc, d.decision_id desc limit ${limit}`);
  return rows.map((row) => ({ ...row, decidedAt: row.decidedAt.toISOString() }));
}
