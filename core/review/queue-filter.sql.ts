import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { equalUnpeeked } from '../db/filter.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { idsUpTo } from '../kernel/list.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { CandidateSchema } from './candidate-schema.ts';
import { candidatesOf, isRepresentative } from './question.sql.ts';
import { holdsWords } from './queue-words.sql.ts';
import { questionValue } from './value.sql.ts';

const Id = z.string().max(64);

/** The queue, its facets and its export have the same filter. */
export const QueueFilterSchema = z.strictObject({
  q: z
    .string()
    .trim()
    .max(200)
    .optional()
    .describe(
      'Words of the name, path or format of the asset, of its scope, or of a type that is asked about',
    ),
  domainId: Id.optional(),
  informationTypeId: Id.optional().describe('A type that the question is about'),
  scopeId: Id.optional(),
  band: CandidateSchema.shape.band.optional(),
  riskSeverity: z.enum(SEVERITIES).optional(),
  askedBecause: CandidateSchema.shape.askedBecause.optional(),
  ids: idsUpTo(200).optional().describe('Ids of at most 200 candidates of the queue, separated by commas'),
});
export type QueueFilter = z.infer<typeof QueueFilterSchema>;

/** Orders of the queue. `-value`: the most valuable answer first. `created`: those that have waited longest first. */
export const QUEUE_SORTS = ['-value', 'created', '-created'] as const;
export type QueueSort = (typeof QUEUE_SORTS)[number];

/** A place in the queue. */
export type QueuePlace = { candidateId: string; value: number };

/** Of each domain, a filter is applied to so many candidates, in the order of the queue. */
export const QUEUE_LOOKED_AT = 2_000;

export const queueOrder = (sort: QueueSort, of: Statement): Statement =>
  sort === '-value'
    ? sql`${questionValue(of)} desc, ${of}.candidate_id`
    : sort === 'created'
      ? sql`${of}.created_at, ${of}.candidate_id`
      : sql`${of}.created_at desc, ${of}.candidate_id desc`;

/** The domains of the reader. */
export const domainsOf = (tx: Tx, visibility: Visibility): Statement =>
  visibility.kind === 'tenant'
    ? sql`select o.domain_id from domains o where o.tenant_id = ${tx.tenantId}`
    : sql`select unnest(${unpeeked(visibility.domainIds)}) as domain_id`;

/**
 * Of the candidates of the question that `k` represents, the one that says why it is asked again. When a question is
 * asked again, `k` may be of a new type.
 * @param isAsked condition on `candidates o` of the asset of `k`: it belongs to the same question
 */
export const askedAgain = (tx: Tx, k: Statement, isAsked: Statement): Statement => sql`(
  select o.asked_because, o.changes, o.earlier_decision_id from ${candidatesOf(tx, sql`${k}.asset_id`)} o
   where ${isAsked} and o.earlier_decision_id is not null
   order by ${askedAgainFirst(k)} limit 1)`;

/** Order of `candidates o` of the question that `k` represents: the one that says why it is asked again comes first. */
export const askedAgainFirst = (k: Statement): Statement =>
  sql`o.candidate_id <> ${k}.candidate_id, o.earlier_decision_id desc`;

/** Condition on `candidates o` of the asset of `k`: it is pending and belongs to the question of the queue. */
export const isOfQueued = (k: Statement): Statement =>
  sql`o.domain_id = ${k}.domain_id and o.status = 'pending'`;

/** Why the question of `k` waits. @param again why it is asked again, or null */
export const shownReason = (k: Statement, again: Statement): Statement => sql`
  case when ${isRepresentative(k)} then 'representative'
       when ${k}.asked_because = 'inferred' then coalesce(${again}, ${k}.asked_because) else ${k}.asked_because end`;

/** The same for `candidates q` of the queue. */
const queuedReason = (tx: Tx): Statement => {
  const q = sql`q`;
  return shownReason(q, sql`(select asked_because from ${askedAgain(tx, q, isOfQueued(q))} again)`);
};

/** Whether the filter asks for more than the index of the queue answers. */
export const isFiltered = ({ domainId: _, ...others }: QueueFilter): boolean =>
  Object.values(others).some((member) => member !== undefined && member !== '');

/**
 * Selects `candidates` that represent the open questions of the reader's domains: of each question its most valuable
 * candidate. Takes the first few of each domain, which an index holds in this order, and merges them. This avoids
 * sorting a whole backlog.
 * @param most null: all that are looked at, in no order
 * @param look how many candidates of each domain a filter is applied to
 * @param after in the order `-value`: only questions after this one
 */
export function openQuestions(
  tx: Tx,
  visibility: Visibility,
  filter: QueueFilter,
  {
    sort = '-value',
    most,
    look,
    after = null,
  }: { sort?: QueueSort; most: number | null; look: number | null; after?: QueuePlace | null },
): Statement {
  const {
    q: text = '',
    domainId,
    informationTypeId,
    scopeId,
    band,
    riskSeverity,
    askedBecause,
    ids,
  } = filter;
  const inOrder = (of: Statement) =>
    most === null ? sql`` : sql`order by ${queueOrder(sort, of)} limit ${sql.whole(most)}`;
  const waits = (of: Statement) => sql`
    ${of}.tenant_id = ${tx.tenantId} and ${of}.domain_id = o.domain_id and ${of}.status = 'pending' and ${of}.asset_active`;
  // Of the most valuable candidates of a domain, the first of each asset represents its question.
  const isCounted = most === null && look !== null && ids === undefined;
  const looked =
    ids !== undefined
      ? sql`(select c.* from unnest(${unpeeked(ids)}) as named (id) cross join lateral (
          select * from candidates where tenant_id = ${unpeeked(tx.tenantId)} and candidate_id = named.id ${FENCE}) c) q`
      : look === null
        ? sql`candidates q`
        : sql`(${isCounted ? sql`select distinct on (f.asset_id) f.* from (` : sql``}
            select c.* from candidates c where ${waits(sql`c`)} order by ${queueOrder(sort, sql`c`)} limit ${sql.whole(look)}
            ${isCounted ? sql`) f order by f.asset_id, ${queueOrder('-value', sql`f`)}` : sql``}) q`;
  const value = questionValue(sql`q`);
  const isMostValuable = sql`not exists (
    select from ${candidatesOf(tx, sql`q.asset_id`)} better
     where better.domain_id = q.domain_id
       and better.status = 'pending'
       and (${questionValue(sql`better`)} > ${value}
            or ${questionValue(sql`better`)} = ${value} and better.candidate_id < q.candidate_id))`;
  const further =
    after === null
      ? sql`true`
      : sql`${value} <= ${after.value} and (${value} < ${after.value} or q.candidate_id > ${after.candidateId})`;
  const isOfType =
    informationTypeId === undefined
      ? sql`true`
      : sql`exists (
          select from ${candidatesOf(tx, sql`q.asset_id`)} t
           where t.domain_id = q.domain_id and t.status = 'pending' and t.information_type_id = ${informationTypeId})`;
  return sql`
    select first.* from (${domainsOf(tx, visibility)}) o cross join lateral (
      select q.* from ${looked}
       where ${waits(sql`q`)} and ${further} and ${equalUnpeeked(sql`q.scope_id`, scopeId)} and ${equalUnpeeked(sql`q.band`, band)}
         and ${equalUnpeeked(sql`q.risk_severity`, riskSeverity)}
         and ${isCounted ? sql`true` : isMostValuable}
         and ${isOfType} and ${askedBecause === undefined ? sql`true` : sql`${queuedReason(tx)} = ${askedBecause}`}
         and ${text === '' ? sql`true` : holdsWords(tx, text)}
       ${inOrder(sql`q`)}) first
     where ${domainId === undefined ? sql`true` : sql`o.domain_id = ${domainId}`}
     ${inOrder(sql`first`)}`;
}
