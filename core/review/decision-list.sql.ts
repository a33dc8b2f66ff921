import { z } from 'zod';
import { isSameContent } from '../assets/same-content.sql.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { equal } from '../db/filter.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { MAX_COUNTED, type Total } from '../kernel/list.ts';
import { CandidateStatusSchema } from './candidate-states.ts';
import { DecisionSchema } from './decision.ts';
import { isUnansweredThere, questionRevision } from './question.sql.ts';

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

const Id = z.string().max(64);

/** The list and its export have the same filter. */
export const DecisionFilterSchema = z.strictObject({
  by: z
    .enum(DECIDED_BY)
    .optional()
    .describe('Whose decisions. Default `me`, and with `principalId` `anyone`'),
  principalId: Id.optional().describe('Decisions of this person alone'),
  domainId: Id.optional(),
  informationTypeId: Id.optional().describe('Decisions on questions about this type alone'),
  decision: DecisionSchema.optional().describe('This answer alone'),
  decidedFrom: z.iso.datetime().optional().describe('Decisions at or after this time'),
  decidedBefore: z.iso.datetime().optional().describe('Decisions before this time'),
  state: z.enum(DECISION_STATES).optional(),
});
export type DecisionFilter = z.infer<typeof DecisionFilterSchema>;

/** Orders of the list. `-decided`: the newest first. */
export const DECISION_SORTS = ['-decided', 'decided'] as const;
type DecisionSort = (typeof DECISION_SORTS)[number];

/** Who asks for decisions. Those made before `revisableSince` cannot be revised. */
export type DecisionReader = {
  principalId: Principal['principalId'];
  visibility: Visibility;
  revisableSince: Date;
};

/**
 * Decisions in the domains that the caller owns now, the newest first unless another order is asked for; at most `limit`,
 * optionally after a decision. A type of another domain is left out.
 */
export async function listDecisions(
  tx: Tx,
  reader: DecisionReader,
  filter: DecisionFilter,
  limit: number,
  { sort = '-decided', after = null }: { sort?: DecisionSort; after?: string | null } = {},
): Promise<ListedDecision[]> {
  const { visibility, revisableSince } = reader;
  const direction = sort === 'decided' ? sql`` : sql`desc`;
  const further =
    after === null
      ? sql`true`
      : sql`(d.created_at, d.decision_id) ${sort === 'decided' ? sql`>` : sql`<`} (
          select created_at, decision_id from decisions where tenant_id = ${tx.tenantId} and decision_id = ${after})`;
  const text = sql`
    select d.decision_id as "decisionId", d.candidate_id as "candidateId", d.asset_id as "assetId",
           d.evidence ->> 'assetName' as "assetName", k.domain_id as "domainId", m.name as "domainName",
           k.information_type_id as "informationTypeId", t.name as "informationTypeName", d.decision,
           c.information_type_id as "correctedInformationTypeId", d.routed_domain_id as "routedDomainId",
           d.note, d.principal_id as "principalId", p.display_name as "principalName", d.created_at as "decidedAt", k.status,
           ${questionRevision(sql`k`)} as revision,
           coalesce(k.decision_id = d.decision_id, false) as stands,
           coalesce(${isRevisable(revisableSince)}, false) as "isRevisable",
           case when ${visibleAsset(visibility)} then ${isSameContent} end as "isAboutPresentContent"
      ${asked(reader, filter, sql`(${made(tx, reader, filter)})`)}
      join principals p on p.tenant_id = d.tenant_id and p.principal_id = d.principal_id
      join domains m on m.tenant_id = k.tenant_id and m.domain_id = k.domain_id
      left join information_types t
        on t.tenant_id = k.tenant_id and t.information_type_id = k.information_type_id
      left join information_types c
        on c.tenant_id = d.tenant_id and c.information_type_id = d.corrected_information_type_id
       and ${withinDomains(visibility, sql`c.domain_id`)}
     where ${further}
     order by d.created_at ${direction}, d.decision_id ${direction} limit ${limit}`;
  const rows = await tx.query<Omit<ListedDecision, 'decidedAt'> & { decidedAt: Date }>(sql.unprepared(text));
  return rows.map((row) => ({ ...row, decidedAt: row.decidedAt.toISOString() }));
}

/** How many decisions the list has under a filter. Of more than `MAX_COUNTED` decisions, the newest are looked at. */
export async function countDecisions(tx: Tx, reader: DecisionReader, filter: DecisionFilter): Promise<Total> {
  const [row] = await tx.query<{ looked: number; counted: number }>(
    sql.unprepared(sql`
      with looked as materialized (
        select * from (${made(tx, reader, filter)}) d
         order by d.created_at desc, d.decision_id desc limit ${sql.whole(MAX_COUNTED + 1)})
      select (select count(*)::int from looked) as looked,
             (select count(*)::int ${asked(reader, filter, sql`looked`)}) as counted`),
  );
  const { looked, counted } = row ?? { looked: 0, counted: 0 };
  return { total: Math.min(counted, MAX_COUNTED), totalIsExact: looked <= MAX_COUNTED };
}

/** Selects the decisions that the filter's conditions on the decision itself allow. */
function made(tx: Tx, { principalId: caller }: DecisionReader, filter: DecisionFilter): Statement {
  const { principalId, by = principalId === undefined ? 'me' : 'anyone' } = filter;
  const { decision, decidedFrom, decidedBefore } = filter;
  return sql`
    select d.* from decisions d
     where d.tenant_id = ${tx.tenantId} and ${equal(sql`d.principal_id`, by === 'me' ? caller : undefined)}
       and ${equal(sql`d.principal_id`, principalId)} and ${equal(sql`d.decision`, decision)}
       and ${decidedFrom === undefined ? sql`true` : sql`d.created_at >= ${new Date(decidedFrom)}`}
       and ${decidedBefore === undefined ? sql`true` : sql`d.created_at < ${new Date(decidedBefore)}`}`;
}

/** Of `decisions d` those of the reader's domains that the filter allows, each with its `candidates k` and `assets a`. */
function asked(
  { visibility, revisableSince }: DecisionReader,
  filter: DecisionFilter,
  decisions: Statement,
): Statement {
  const { domainId, informationTypeId, state } = filter;
  const inState =
    state === undefined
      ? sql`true`
      : state === 'revisable'
        ? sql`coalesce(${isRevisable(revisableSince)}, false)`
        : sql`k.status = 'deferred' and k.decision_id = d.decision_id`;
  return sql`
    from ${decisions} d
    join candidates k on k.tenant_id = d.tenant_id and k.candidate_id = d.candidate_id
     and ${withinDomains(visibility, sql`k.domain_id`)} and ${equal(sql`k.domain_id`, domainId)}
     and ${equal(sql`k.information_type_id`, informationTypeId)}
    join assets a on a.tenant_id = d.tenant_id and a.asset_id = d.asset_id and ${inState}`;
}

/** Condition on `decisions d`: it can be revised now. The same rule as `refusal` in decision.ts. */
const isRevisable = (
  revisableSince: Date,
): Statement => sql`(k.decision_id = d.decision_id and a.status = 'active' and (
  k.status = 'deferred' or (k.status in ('confirmed', 'rejected') and d.created_at >= ${revisableSince})
  or (k.status = 'routed' and ${isUnansweredThere})))`;
