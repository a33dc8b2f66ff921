import { z } from 'zod';
import type { AssetFilter } from '../assets/asset-schema.ts';
import { assetById } from '../authz/asset-by-id.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { withinDomainsUnpeeked } from '../authz/within-domains.sql.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { widestExposure } from '../findings/exposure.sql.ts';
import { withinAskedDomains } from '../governance/asked-domains.ts';
import { detectorTitles } from '../governance/custom-detectors.ts';
import { countedIn, type FacetRow, FacetValueSchema, facetedOf, MAX_FACETED } from '../kernel/facets.ts';
import { isWithinLooked, LOOKED_AT } from './asset-counts.sql.ts';
import { newestPlacements, type Walk } from './newest-placements.sql.ts';
import { findAssets } from './search.sql.ts';

/** As the filters of the list are named. */
const FACETS = [
  'domainId',
  'informationTypeId',
  'scopeId',
  'contentState',
  'fileFormat',
  'identifier',
  'exposure',
  'labelState',
  'labelGuid',
  'riskSeverity',
] as const;
type Facet = (typeof FACETS)[number];

export const AssetFacetsSchema = z.object({
  counted: z.int().nonnegative().describe('How many assets were counted: at most the 2,000 newest'),
  isExact: z.boolean().describe('False: older assets were not counted'),
  facets: z.object({
    domainId: z.array(FacetValueSchema),
    informationTypeId: z.array(FacetValueSchema),
    scopeId: z.array(FacetValueSchema),
    contentState: z.array(FacetValueSchema),
    fileFormat: z.array(FacetValueSchema),
    identifier: z.array(FacetValueSchema),
    exposure: z.array(FacetValueSchema),
    labelState: z.array(FacetValueSchema),
    labelGuid: z.array(FacetValueSchema),
    riskSeverity: z.array(FacetValueSchema),
  } satisfies Record<Facet, z.ZodType>),
});
export type AssetFacets = z.infer<typeof AssetFacetsSchema>;

/** How many of the assets of the list, among the newest, have each value that the reader may see. */
export async function assetFacets(tx: Tx, visibility: Visibility, filter: AssetFilter): Promise<AssetFacets> {
  const { q, domainId: _, ownerId: _owner, ...rest } = filter;
  const seen = await withinAskedDomains(tx, visibility, filter);
  const walk: Walk = { filter: rest, after: null, most: MAX_FACETED + 1, look: LOOKED_AT };
  const found = q === undefined || q === '' ? null : await findAssets(tx, seen, q, walk);
  const counted: Walk =
    found === null ? walk : { filter: { ids: found.assetIds }, after: null, most: MAX_FACETED + 1 };
  const rows = await tx.query<FacetRow>(sql.unprepared(facetsStatement(tx, seen, counted)));
  const titles = await detectorTitles(tx);
  const isWhole =
    found === null ? countedIn(rows) > MAX_FACETED || (await isWithinLooked(tx, seen, rest)) : found.isWhole;
  const named = rows.map((row) =>
    row.facet === 'identifier' ? { ...row, name: titles.get(row.value) ?? row.value } : row,
  );
  return facetedOf(FACETS, named, isWhole);
}

/** Rows of each facet, and one row with the number of assets. */
function facetsStatement(tx: Tx, visibility: Visibility, walk: Walk): Statement {
  const tenant = unpeeked(tx.tenantId);
  const ofColumn = (facet: Facet, column: Statement, name: Statement = sql`null::text`) => sql`
    select ${facet} as facet, ${column} as value, ${name} as name, count(*)::int as count from met group by ${column}`;
  const placed = (column: Statement, isCounted: Statement) => sql`
    select p.${column} as value, count(*)::int as count from placed p where ${isCounted} group by 1`;
  return sql`
    with walked as materialized (${newestPlacements(tx, visibility, walk, { withPlacements: false })}),
    met as materialized (
      select a.asset_id, a.scope_id, a.content_state, a.format, a.label_state, a.label_guid, a.label_name, a.risk_severity,
             ${widestExposure} as exposure,
             case when x.signals is null then y.signal_kinds
                  else array(select distinct s ->> 'detectorId' from jsonb_array_elements(x.signals) s) end as identifiers
        from (select asset_id from walked limit ${sql.whole(MAX_FACETED)}) w cross join lateral ${assetById(tx, sql`w.asset_id`)}
        left join lateral (
          select signal_kinds from asset_features
           where tenant_id = ${tenant} and asset_id = w.asset_id and signal_kinds <> '{}' ${FENCE}) y on true
        left join lateral (
          select signals from asset_suppressions where tenant_id = ${tenant} and asset_id = w.asset_id ${FENCE}) x on true
    ),
    placed as materialized (
      select p.domain_id, p.information_type_id, p.firmest
        from met m cross join lateral (
          select domain_id, information_type_id, firmest from asset_placements
           where tenant_id = ${tenant} and asset_id = m.asset_id ${FENCE}) p
       where p.domain_id is not null and ${withinDomainsUnpeeked(visibility, sql`p.domain_id`)}
    ),
    counts as (
      ${ofColumn('contentState', sql`content_state`)}
      union all ${ofColumn('fileFormat', sql`format`)}
      union all ${ofColumn('exposure', sql`exposure`)}
      union all ${ofColumn('labelState', sql`label_state`)}
      union all ${ofColumn('labelGuid', sql`label_guid`, sql`max(label_name)`)}
      union all ${ofColumn('riskSeverity', sql`risk_severity`)}
      union all
      select 'identifier', i.id, null, count(*)::int from met cross join unnest(identifiers) as i (id) group by i.id
      union all
      select 'scopeId', c.scope_id, s.name, c.count
        from (select scope_id, count(*)::int as count from met group by 1) c
        join scopes s on s.tenant_id = ${tx.tenantId} and s.scope_id = c.scope_id
      union all
      select 'domainId', c.value, d.name, c.count from (${placed(sql`domain_id`, sql`p.firmest`)}) c
        join domains d on d.tenant_id = ${tx.tenantId} and d.domain_id = c.value
      union all
      select 'informationTypeId', c.value, t.name, c.count
        from (${placed(sql`information_type_id`, sql`p.information_type_id is not null`)}) c
        join information_types t on t.tenant_id = ${tx.tenantId} and t.information_type_id = c.value
    )
    select 'counted' as facet, '' as value, null as name, (select count(*)::int from walked) as count
    union all
    select facet, value, name, count from counts where value is not null`;
}
