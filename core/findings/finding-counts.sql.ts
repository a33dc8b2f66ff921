import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { tyingCandidate } from '../authz/visibility.sql.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinAskedDomains } from '../governance/asked-domains.ts';
import { type FacetRow, FacetValueSchema, facetedOf, MAX_FACETED } from '../kernel/facets.ts';
import { MAX_COUNTED, type Total, totalOf } from '../kernel/list.ts';
import {
  actionKindOf,
  FINDINGS_LOOKED_AT,
  type FindingFilter,
  findingOrder,
  foundFindings,
  isByStatus,
  isLookedThrough,
  mostSevere,
} from './finding-filter.sql.ts';

/**
 * How many findings the reader may see under a filter. If conditions that no index answers are applied to `look` findings
 * alone, and there are more, the total is not exact.
 */
export async function countFindings(
  tx: Tx,
  visibility: Visibility,
  filter: FindingFilter,
  { look = FINDINGS_LOOKED_AT }: { look?: number } = {},
): Promise<Total> {
  const seen = await withinAskedDomains(tx, visibility, filter);
  const isBounded = isLookedThrough(tx, seen, filter);
  const statement = sql`
    select (select count(*)::int from (
              select from (${foundFindings(tx, seen, filter, isBounded ? look : null)}) f
               limit ${sql.whole(MAX_COUNTED + 1)}) met) as met,
           ${
             isBounded
               ? sql`(select count(*)::int from (${mostSevere(tx, seen, filter, look + 1)}) looked) <= ${look}`
               : sql`true`
           } as "isWhole"`;
  const [row] = await tx.query<{ met: number; isWhole: boolean }>(
    isByStatus(filter) ? statement : sql.unprepared(statement),
  );
  const { met, isWhole } = row ?? { met: 0, isWhole: true };
  const counted = totalOf(met);
  return { ...counted, totalIsExact: counted.totalIsExact && isWhole };
}

/** As the filters of the list are named. */
const FACETS = ['status', 'kind', 'severity', 'actionKind', 'domainId'] as const;

export const FindingFacetsSchema = z.object({
  counted: z.int().nonnegative().describe('How many findings were counted: at most the 2,000 most severe'),
  isExact: z.boolean().describe('False: less severe findings were not counted'),
  facets: z.object({
    status: z.array(FacetValueSchema),
    kind: z.array(FacetValueSchema),
    severity: z.array(FacetValueSchema),
    actionKind: z.array(FacetValueSchema),
    domainId: z.array(FacetValueSchema),
  } satisfies Record<(typeof FACETS)[number], z.ZodType>),
});

/** How many findings of the list, among the most severe, have each value that the reader may see. */
export async function findingFacets(
  tx: Tx,
  visibility: Visibility,
  filter: FindingFilter,
): Promise<z.infer<typeof FindingFacetsSchema>> {
  const seen = await withinAskedDomains(tx, visibility, filter);
  const among = isLookedThrough(tx, seen, filter) ? FINDINGS_LOOKED_AT : null;
  const rows = await tx.query<FacetRow>(
    sql.unprepared(sql`
      with found as materialized (
        select f.finding_id, f.asset_id, f.status, f.kind, f.severity
          from (${foundFindings(tx, seen, filter, among)}) f
         order by ${findingOrder} limit ${sql.whole(MAX_FACETED + 1)}
      ),
      met as materialized (
        select f.finding_id, f.asset_id, f.status, f.kind, f.severity, ${actionKindOf(tx)} as action_kind
          from (select * from found limit ${sql.whole(MAX_FACETED)}) f
      )
      select 'counted' as facet, '' as value, null as name, count(*)::int as count from found
      union all select 'status', status, null, count(*)::int from met group by status
      union all select 'kind', kind, null, count(*)::int from met group by kind
      union all select 'severity', severity, null, count(*)::int from met group by severity
      union all select 'actionKind', action_kind, null, count(*)::int from met where action_kind is not null
                 group by action_kind
      union all
      select 'domainId', c.domain_id, d.name, c.count
        from (select o.domain_id, count(distinct m.finding_id)::int as count
                from met m cross join lateral (${domainsOfMet(tx, seen)}) o
               group by 1) c
        join domains d on d.tenant_id = ${tx.tenantId} and d.domain_id = c.domain_id`),
  );
  const isWhole = among === null || (await countFindings(tx, visibility, filter)).totalIsExact;
  return facetedOf(FACETS, rows, isWhole);
}

/**
 * Selects the domains of the finding `m` that the reader may see. The placements of its asset are found faster than its
 * candidates, but a resolved finding may be of a deleted asset, which has none.
 */
const domainsOfMet = (tx: Tx, seen: Visibility): Statement => {
  const ofAsset = sql`tenant_id = ${unpeeked(tx.tenantId)} and asset_id = m.asset_id`;
  return sql`
    select p.domain_id from (
      select domain_id from asset_placements
       where m.status <> 'resolved' and ${ofAsset} and firmest and domain_id is not null ${FENCE}) p
     where ${withinDomains(seen, sql`p.domain_id`)}
    union all
    select k.domain_id from (
      select domain_id, status from candidates where m.status = 'resolved' and ${ofAsset} ${FENCE}) k
     where ${tyingCandidate(seen)}`;
};
