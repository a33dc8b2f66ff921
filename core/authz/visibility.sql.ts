import { type Statement, sql } from '../db/sql.ts';
import type { Visibility } from './principal.ts';
import { withinDomains } from './within-domains.sql.ts';

/**
 * Condition on `candidates k`: the candidate ties its asset to a domain of the reader. A candidate that was rejected,
 * routed away or withdrawn does not.
 */
export const tyingCandidate = (visibility: Visibility): Statement =>
  sql`k.status in ('pending', 'deferred', 'confirmed') and ${withinDomains(visibility, sql`k.domain_id`)}`;

/**
 * Condition on `assets a`: the reader may see it. A reader of some domains sees the assets that a candidate ties to
 * them.
 */
export const visibleAsset = (visibility: Visibility): Statement =>
  visibility.kind === 'tenant'
    ? sql`true`
    : sql`exists (select 1 from candidates k
        where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and ${tyingCandidate(visibility)})`;

/**
 * Condition on `scopes s`: the reader may see it. A reader of some domains sees the scopes that are expected to hold
 * one of them, and those with an asset that a candidate ties to one. The scalar subquery costs one index lookup for
 * each scope and domain. The planner may turn `exists` into a scan of all candidates of the domains.
 */
export const visibleScope = (visibility: Visibility): Statement =>
  visibility.kind === 'tenant'
    ? sql`true`
    : sql`coalesce(${withinDomains(visibility, sql`s.expected_domain_id`)} or (
        select true from candidates k join assets a using (tenant_id, asset_id)
         where k.tenant_id = s.tenant_id and k.scope_id = s.scope_id and a.status = 'active'
           and ${tyingCandidate(visibility)} limit 1), false)`;
