import { z } from 'zod';
import { LabelStateSchema, RiskSeveritySchema } from '../assets/asset-schema.ts';
import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

const Count = z.int().nonnegative();

/**
 * The number of assets with these values. `provenance` says who ties them to the domain: an owner (`confirmed`), the
 * model (`inferred`) or a colleague who routed them there (`routed`). Without a domain they are `unclassified`. An
 * asset counts once in each of its domains, by its firmest information type there.
 */
export const CellSchema = z.object({
  domainId: z.string().nullable(),
  domainName: z.string().nullable(),
  informationTypeId: z.string().nullable(),
  informationTypeName: z.string().nullable(),
  scopeId: z.string(),
  scopeName: z.string(),
  provenance: z.enum(['confirmed', 'inferred', 'routed', 'unclassified']),
  labelState: LabelStateSchema,
  riskSeverity: RiskSeveritySchema.nullable(),
  assets: Count,
  openFindings: Count,
  pendingReviews: Count,
});
export type Cell = z.infer<typeof CellSchema>;

/**
 * Cells of the domains that the reader may see, the largest first, in a stable order; at most `limit`. The count of a
 * cell is its row plus the changes that are not folded into it yet. One more row is read for each cell with changes,
 * because changes can move cells down.
 */
export const listCells = (tx: Tx, visibility: Visibility, limit: number): Promise<Cell[]> =>
  tx.query<Cell>(sql`
    with moved as materialized (
      select cell, domain_id, information_type_id, scope_id, provenance, label_state, risk_severity,
             sum(assets) as assets, sum(open_findings) as open_findings, sum(pending_reviews) as pending_reviews
        from placement_changes
       where tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`domain_id`)}
       group by 1, 2, 3, 4, 5, 6, 7
    ), largest as (
      select l.* from (${largestCells(tx, visibility, sql`${limit} + (select count(*) from moved)`)}) l
       where not exists (select 1 from moved where moved.cell = l.cell)
      union all
      select ${tx.tenantId}, m.cell, m.domain_id, m.information_type_id, m.scope_id, m.provenance, m.label_state,
             m.risk_severity, m.assets + coalesce(c.assets, 0), m.open_findings + coalesce(c.open_findings, 0),
             m.pending_reviews + coalesce(c.pending_reviews, 0)
        from moved m left join landscape_cells c on c.tenant_id = ${tx.tenantId} and c.cell = m.cell
    )
    select nullif(c.domain_id, '') as "domainId", d.name as "domainName",
           nullif(c.information_type_id, '') as "informationTypeId", t.name as "informationTypeName",
           c.scope_id as "scopeId", s.name as "scopeName", c.provenance, c.label_state as "labelState",
           nullif(c.risk_severity, '') as "riskSeverity", c.assets, c.open_findings as "openFindings",
           c.pending_reviews as "pendingReviews"
      from (select * from largest where assets > 0 order by assets desc, cell limit ${limit}) c
      join scopes s on s.tenant_id = ${tx.tenantId} and s.scope_id = c.scope_id
      left join domains d on d.tenant_id = ${tx.tenantId} and d.domain_id = c.domain_id
      left join information_types t
        on t.tenant_id = ${tx.tenantId} and t.information_type_id = c.information_type_id
     order by c.assets desc, c.cell`);

/** The largest cells of the tenant, or of each of the reader's domains, in the order of an index. */
const largestCells = (tx: Tx, visibility: Visibility, limit: Statement): Statement =>
  visibility.kind === 'tenant'
    ? sql`select * from landscape_cells where tenant_id = ${tx.tenantId} order by assets desc, cell limit ${limit}`
    : sql`
      select first.* from unnest(${visibility.domainIds}::text[]) as o (domain_id) cross join lateral (
        select * from landscape_cells c where c.tenant_id = ${tx.tenantId} and c.domain_id = o.domain_id
         order by c.assets desc, c.cell limit ${limit}) first`;

/**
 * The counts of a domain, without its people. `pendingReviews`: assets about which its owners are asked.
 * `unlabeled`: of the assets whose label is known. Null if it is known of none, since the source has no labels or they
 * were not read; `labelUnknown` counts the others. `changedLast7Days`: assets that changed today or in the six days before (UTC), not counting when they were first
 * seen.
 */
export const DomainPostureSchema = z.object({
  domainId: z.string(),
  domainName: z.string(),
  assets: Count,
  confirmed: Count,
  unlabeled: Count.nullable().describe(
    'Null: not known here. No asset of the domain has a known label state',
  ),
  labelUnknown: Count.describe('Assets whose label is not known: the source has none, or does not tell'),
  pendingReviews: Count,
  openFindings: Count,
  changedLast7Days: Count,
});
export type DomainPosture = z.infer<typeof DomainPostureSchema>;

const WEEK_BEFORE_MS = 6 * 24 * 3_600_000;

/** The postures of these domains, by name. A domain without assets is included with counts of 0. */
export const domainPostures = (tx: Tx, domainIds: readonly string[], now: number): Promise<DomainPosture[]> =>
  tx.query<DomainPosture>(sql`
    select d.domain_id as "domainId", d.name as "domainName", c.assets, c.confirmed, c.unlabeled,
           c.label_unknown as "labelUnknown", c.pending_reviews as "pendingReviews", c.open_findings as "openFindings", w.assets as "changedLast7Days"
      from domains d
      cross join lateral (
        select coalesce(sum(assets), 0) as assets,
               coalesce(sum(assets) filter (where provenance = 'confirmed'), 0) as confirmed,
               case when coalesce(sum(assets) filter (where label_state = 'unknown'), 0) < coalesce(sum(assets), 0)
                      or coalesce(sum(assets), 0) = 0
                    then coalesce(sum(assets) filter (where label_state = 'unlabeled'), 0) end as unlabeled,
               coalesce(sum(assets) filter (where label_state = 'unknown'), 0) as label_unknown,
               coalesce(sum(pending_reviews), 0) as pending_reviews, coalesce(sum(open_findings), 0) as open_findings
          from (
            select provenance, label_state, assets, open_findings, pending_reviews from landscape_cells
             where tenant_id = d.tenant_id and domain_id = d.domain_id
            union all
            select provenance, label_state, assets, open_findings, pending_reviews from placement_changes
             where tenant_id = d.tenant_id and domain_id = d.domain_id
          ) counted) c
      cross join lateral (
        select coalesce(sum(assets), 0) as assets
          from (
            select assets, day from domain_days where tenant_id = d.tenant_id and domain_id = d.domain_id
            union all
            select assets, day from placement_changes where tenant_id = d.tenant_id and domain_id = d.domain_id
          ) counted
         where day >= (${new Date(now - WEEK_BEFORE_MS)}::timestamptz at time zone 'UTC')::date) w
     where d.tenant_id = ${tx.tenantId} and d.domain_id = any(${domainIds}::text[])
     order by lower(d.name), d.domain_id`);

/** How many questions wait in the reader's domains, or in one of them; optionally of one scope or risk. */
export async function openQuestionsOfCells(
  tx: Tx,
  visibility: Visibility,
  {
    domainId,
    scopeId,
    riskSeverity,
  }: { domainId?: string | undefined; scopeId?: string | undefined; riskSeverity?: string | undefined },
): Promise<number> {
  const asked = sql`
    tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`domain_id`)}
      and (${domainId ?? null}::text is null or domain_id = ${domainId ?? null})
      and (${scopeId ?? null}::text is null or scope_id = ${scopeId ?? null})
      and (${riskSeverity ?? null}::text is null or risk_severity = ${riskSeverity ?? null})`;
  const [row] = await tx.query<{ questions: number }>(sql`
    select coalesce(sum(pending_reviews), 0)::int as questions
      from (select pending_reviews from landscape_cells where ${asked}
            union all
            select pending_reviews from placement_changes where ${asked}) counted`);
  return row?.questions ?? 0;
}

/**
 * Selects the number of assets in each scope that the reader may see. An asset in two of the reader's domains counts
 * twice.
 */
export const assetsByScope = (tx: Tx, visibility: Visibility): Statement =>
  visibility.kind === 'tenant'
    ? sql`select scope_id, asset_count as assets from scopes where tenant_id = ${tx.tenantId}`
    : sql`
      select scope_id, sum(assets) as assets
        from (
          select scope_id, assets from landscape_cells
           where tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`domain_id`)}
          union all
          select scope_id, assets from placement_changes
           where tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`domain_id`)}
        ) counted
       group by scope_id`;
