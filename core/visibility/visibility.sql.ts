import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import { withinDomains } from './within-domains.sql.ts';

/**
 * Of `candidates k`: those that tie an asset to a domain of the reader. One that was refused, routed away or
 * withdrawn ties it to nothing.
 */
export const tyingCandidate = (visibility: Visibility): Statement =>
  sql`k.status in ('pending', 'deferred', 'confirmed') and ${withinDomains(visibility, sql`k.domain_id`)}`;

/** Of `assets a`: those that the reader may see. A domain-scoped reader sees what a candidate ties to a domain. */
export const visibleAsset = (visibility: Visibility): Statement =>
  visibility.kind === 'tenant'
    ? sql`true`
    : sql`exists (select 1 from candidates k
        where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and ${tyingCandidate(visibility)})`;

/**
 * Of `scopes s`: those that the reader may see. A domain-scoped reader sees those which such a domain governs or in
 * which a candidate ties an asset to one. A single value and not `exists`, which might be answered by reading all
 * candidates of the domains: so it is one look into an index for each scope and domain.
 */
export const visibleScope = (visibility: Visibility): Statement =>
  visibility.kind === 'tenant'
    ? sql`true`
    : sql`coalesce(${withinDomains(visibility, sql`s.expected_domain_id`)} or (
        select true from candidates k join assets a using (tenant_id, asset_id)
         where k.tenant_id = s.tenant_id and k.scope_id = s.scope_id and a.status = 'active'
           and ${tyingCandidate(visibility)} limit 1), false)`;
