import type { AssetFilter, AssetSummary } from '../assets/asset-schema.ts';
import { firmestFirst, placementColumns } from '../assets/classification.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { assetById } from '../visibility/asset-by-id.sql.ts';
import { withinDomainsUnpeeked } from '../visibility/within-domains.sql.ts';

/** The position of an asset in the list. */
export type AssetPlace = Pick<AssetSummary, 'assetId' | 'changedAt'>;

/** How far to walk through the list, from its beginning or after a place. */
export type Walk = { filter: Omit<AssetFilter, 'q'>; after: AssetPlace | null; most: number };

/**
 * Selects `asset_id` and `changed_at` of the assets that the reader may see and the filter allows, the most recently
 * changed first. It walks the index of an information type, of a content state, of each domain of the reader, or of all
 * assets. The firmest placement is included on request, except in a walk through a content state or through all assets.
 */
export function newestPlacements(
  tx: Tx,
  visibility: Visibility,
  { filter, after, most }: Walk,
  { withPlacements }: { withPlacements: boolean },
): Statement {
  const { informationTypeId, labelState, riskSeverity, contentState } = filter;
  const asked = (of: Statement) => sql`
    ${labelState === undefined ? sql`true` : sql`${of}.label_state = ${unpeeked(labelState)}`}
    and ${riskSeverity === undefined ? sql`true` : sql`${of}.risk_severity = ${unpeeked(riskSeverity)}`}
    and ${afterPlace(of, after)}`;
  const isInState = (of: Statement) =>
    contentState === undefined ? sql`true` : sql`${of}.content_state = ${unpeeked(contentState)}`;
  // Placements have no content state.
  const isOfAssetInState =
    contentState === undefined
      ? sql`true`
      : sql`exists (select from ${assetById(tx, sql`p.asset_id`)} where ${isInState(sql`a`)})`;
  const inOrder = (of: Statement) => sql`order by ${of}.changed_at desc, ${of}.asset_id desc`;
  const first = sql`limit ${sql.whole(most)}`;
  const columns = sql`p.asset_id, p.changed_at ${withPlacements ? sql`, ${placementColumns}` : sql``}`;
  if (informationTypeId !== undefined) {
    // The domain is checked once and first, so that a type of another domain takes as long as one that does not
    // exist.
    return sql`
      select ${columns} from asset_placements p
       where ${withinDomainsUnpeeked(visibility, domainOfType(tx, informationTypeId))}
         and p.tenant_id = ${tx.tenantId} and p.information_type_id = ${unpeeked(informationTypeId)}
         and ${withinDomainsUnpeeked(visibility, sql`p.domain_id`)} and ${asked(sql`p`)} and ${isOfAssetInState}
       ${inOrder(sql`p`)} ${first}`;
  }
  if (visibility.kind === 'tenant' || isByContentState(filter)) {
    return sql`
      select a.asset_id, a.changed_at from assets a
       where a.tenant_id = ${tx.tenantId} and a.status = 'active' and ${asked(sql`a`)} and ${isInState(sql`a`)}
         ${isByContentState(filter) ? sql`and a.content_state <> 'available'` : sql``} and ${hasPlacement(tx, visibility)}
       ${inOrder(sql`a`)} ${first}`;
  }
  // Takes the first of each domain and merges them. `distinct on` removes assets that are in several of the reader's
  // domains.
  return sql`
    select distinct on (p.changed_at, p.asset_id) ${columns}
      from unnest(${unpeeked(visibility.domainIds)}) as o (domain_id) cross join lateral (
        select p.* from asset_placements p
         where p.tenant_id = ${tx.tenantId} and p.domain_id = o.domain_id and p.firmest and ${asked(sql`p`)}
           and ${isOfAssetInState}
         ${inOrder(sql`p`)} ${first}) p
     ${inOrder(sql`p`)} ${withPlacements ? sql`, ${firmestFirst}` : sql``} ${first}`;
}

/**
 * Condition on `assets a`: it has a placement in a domain of the reader. A scalar subquery is one lookup by id for each
 * asset of the walk. The planner may turn `exists` into a scan of all placements of the domains.
 */
const hasPlacement = (tx: Tx, visibility: Visibility): Statement =>
  visibility.kind === 'tenant'
    ? sql`true`
    : sql`coalesce((
        select true from asset_placements p
         where p.tenant_id = ${unpeeked(tx.tenantId)} and p.asset_id = a.asset_id and p.firmest
           and ${withinDomainsUnpeeked(visibility, sql`p.domain_id`)} limit 1), false)`;

/** Whether the walk is through the assets of a content state that few have, whatever their domain. */
export const isByContentState = ({ informationTypeId, contentState }: Walk['filter']): boolean =>
  informationTypeId === undefined && contentState !== undefined && contentState !== 'available';

/** A subquery for the domain of an information type. Its value is null if the type does not exist. */
export const domainOfType = (tx: Tx, informationTypeId: string): Statement =>
  sql`(select domain_id from information_types
        where tenant_id = ${tx.tenantId} and information_type_id = ${informationTypeId})`;

/** Condition: the row comes after the given place in the list. */
export const afterPlace = (of: Statement, after: AssetPlace | null): Statement =>
  after === null
    ? sql`true`
    : sql`(${of}.changed_at, ${of}.asset_id) < (${new Date(after.changedAt)}, ${after.assetId})`;
