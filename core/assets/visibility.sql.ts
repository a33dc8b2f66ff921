import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import { withinDomains } from '../governance/read.ts';

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
