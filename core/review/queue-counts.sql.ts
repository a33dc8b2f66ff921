import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { countedIn, type FacetRow, FacetValueSchema, facetsOf } from '../kernel/facets.ts';
import type { Total } from '../kernel/list.ts';
import { openQuestionsOfCells } from '../landscape/cells.sql.ts';
import { candidatesOf } from './question.sql.ts';
import {
  askedAgainFirst,
  domainsOf,
  isFiltered,
  isOfQueued,
  openQuestions,
  QUEUE_LOOKED_AT,
  type QueueFilter,
  shownReason,
} from './queue-filter.sql.ts';

/** Of each domain, facets look at so many candidates, the most valuable first. */
const FACETED_OF_DOMAIN = 1_000;

/**
 * How many questions the queue has under a filter. The counts of domains know scope and risk. For other filters, at most
 * `QUEUE_LOOKED_AT` candidates of each domain are looked at.
 */
export async function countQuestions(tx: Tx, visibility: Visibility, filter: QueueFilter): Promise<Total> {
  const { domainId, scopeId, riskSeverity, ...others } = filter;
  const counted = await openQuestionsOfCells(tx, visibility, { domainId, scopeId, riskSeverity });
  if (!isFiltered(others)) return { total: counted, totalIsExact: true };
  const met = openQuestions(tx, visibility, filter, { most: null, look: QUEUE_LOOKED_AT });
  const [row] = await tx.query<{ met: number }>(
    sql.unprepared(sql`select count(*)::int as met from (${met}) met`),
  );
  return {
    total: row?.met ?? 0,
    totalIsExact: filter.ids !== undefined || (await isWithin(tx, visibility, domainId, QUEUE_LOOKED_AT)),
  };
}

/** Whether no domain has more open candidates than this. */
async function isWithin(
  tx: Tx,
  visibility: Visibility,
  domainId: string | undefined,
  most: number,
): Promise<boolean> {
  const [row] = await tx.query<{ isWithin: boolean | null }>(sql`
    select bool_and(n.candidates <= ${most}) as "isWithin"
      from (${domainsOf(tx, visibility)}) o cross join lateral (
        select count(*) as candidates from (
          select from candidates
           where tenant_id = ${tx.tenantId} and domain_id = o.domain_id and status = 'pending' and asset_active
           limit ${sql.whole(most + 1)}) first) n
     where ${domainId === undefined ? sql`true` : sql`o.domain_id = ${domainId}`}`);
  return row?.isWithin ?? true;
}

/** As the filters of the queue are named. */
const FACETS = ['domainId', 'informationTypeId', 'scopeId', 'band', 'riskSeverity', 'askedBecause'] as const;

export const QueueFacetsSchema = z.object({
  counted: z.int().nonnegative().describe('How many questions were counted'),
  isExact: z.boolean().describe('False: less valuable questions were not counted'),
  facets: z.object({
    domainId: z.array(FacetValueSchema),
    informationTypeId: z.array(FacetValueSchema),
    scopeId: z.array(FacetValueSchema),
    band: z.array(FacetValueSchema),
    riskSeverity: z.array(FacetValueSchema),
    askedBecause: z.array(FacetValueSchema),
  } satisfies Record<(typeof FACETS)[number], z.ZodType>),
});

/** How many questions of the queue, among the most valuable, have each value. */
export async function queueFacets(
  tx: Tx,
  visibility: Visibility,
  filter: QueueFilter,
): Promise<z.infer<typeof QueueFacetsSchema>> {
  const tenant = sql`tenant_id = ${tx.tenantId}`;
  const rows = await tx.query<FacetRow>(
    sql.unprepared(sql`
      with met as materialized (
        select q.domain_id, q.scope_id, q.band, q.risk_severity, w.types, ${shownReason(sql`q`, sql`w.again`)} as reason
          from (${openQuestions(tx, visibility, filter, { most: null, look: FACETED_OF_DOMAIN })}) q
          cross join lateral (
            select array_agg(distinct o.information_type_id) filter (where o.information_type_id is not null) as types,
                   (array_agg(o.asked_because order by ${askedAgainFirst(sql`q`)})
                     filter (where o.earlier_decision_id is not null))[1] as again
              from ${candidatesOf(tx, sql`q.asset_id`)} o where ${isOfQueued(sql`q`)}) w
      )
      select 'counted' as facet, '' as value, null as name, count(*)::int as count from met
      union all select 'band', band, null, count(*)::int from met group by band
      union all select 'riskSeverity', risk_severity, null, count(*)::int from met where risk_severity is not null
                 group by risk_severity
      union all select 'askedBecause', reason, null, count(*)::int from met group by reason
      union all
      select 'domainId', c.domain_id, d.name, c.count
        from (select domain_id, count(*)::int as count from met group by 1) c
        join domains d on d.${tenant} and d.domain_id = c.domain_id
      union all
      select 'scopeId', c.scope_id, s.name, c.count
        from (select scope_id, count(*)::int as count from met group by 1) c
        join scopes s on s.${tenant} and s.scope_id = c.scope_id
      union all
      select 'informationTypeId', c.type_id, t.name, c.count
        from (select type_id, count(*)::int as count from met cross join unnest(types) as type_id group by 1) c
        join information_types t on t.${tenant} and t.information_type_id = c.type_id`),
  );
  return {
    counted: countedIn(rows),
    isExact: filter.ids !== undefined || (await isWithin(tx, visibility, filter.domainId, FACETED_OF_DOMAIN)),
    facets: facetsOf(FACETS, rows),
  };
}
