import type { AssetSummary } from '../assets/asset-schema.ts';
import { firmestFirst, placementColumns } from '../assets/classification.sql.ts';
import { assetById } from '../authz/asset-by-id.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { withinDomainsUnpeeked } from '../authz/within-domains.sql.ts';
import { unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { commonConditions, inContentState, ownConditions, type WalkFilter } from './asset-filter.sql.ts';

/** The position of an asset in the list. */
export type AssetPlace = Pick<AssetSummary, 'assetId' | 'changedAt'>;

/**
 * How far to walk through the list, from its beginning or after a place. `look`: at most this many are looked at for
 * conditions that no index answers. Without it, as many as there are.
 */
export type Walk = {
  filter: WalkFilter;
  after: AssetPlace | null;
  most: number;
  oldestFirst?: boolean;
  look?: number;
};

/**
 * Selects `asset_id` and `changed_at` of the assets that the reader may see and the filter allows, the most recently
 * changed first or last. It walks the index of an information type, of a content state, of each domain of the reader, or of all
 * assets. The firmest placement is included on request, except in a walk through a content state, through all assets, or
 * through assets that are named.
 */
export function newestPlacements(
  tx: Tx,
  visibility: Visibility,
  walk: Walk,
  { withPlacements }: { withPlacements: boolean },
): Statement {
  const { filter, after, most, oldestFirst = false, look } = walk;
  const { informationTypeId } = filter;
  const asked = (of: Statement) =>
    sql`${commonConditions(of, filter)} and ${afterPlace(of, after, oldestFirst)}`;
  const own = conditionsOfAsset(filter);
  const ofAsset =
    own === null ? sql`true` : sql`exists (select from ${assetById(tx, sql`p.asset_id`)} where ${own})`;
  const inOrder = (of: Statement) =>
    oldestFirst
      ? sql`order by ${of}.changed_at, ${of}.asset_id`
      : sql`order by ${of}.changed_at desc, ${of}.asset_id desc`;
  const first = sql`limit ${sql.whole(most)}`;
  /** The rows of `of` that meet `conditions` and `others`. Only so many of those that meet `conditions` are looked at. */
  const among = (from: Statement, of: Statement, conditions: Statement, others: Statement | null) =>
    others === null
      ? sql`${from} ${of} where ${conditions}`
      : look === undefined
        ? sql`${from} ${of} where ${conditions} and ${others}`
        : sql`(select ${of}.* from ${from} ${of} where ${conditions} ${inOrder(of)} limit ${sql.whole(look)}) ${of} where ${others}`;
  const columns = sql`p.asset_id, p.changed_at ${withPlacements ? sql`, ${placementColumns}` : sql``}`;
  if (filter.ids !== undefined) {
    return sql`
      select a.asset_id, a.changed_at from unnest(${unpeeked(filter.ids)}) as named (asset_id)
       cross join lateral ${assetById(tx, sql`named.asset_id`)}
       where a.status = 'active' and ${asked(sql`a`)} and ${ownConditions(filter) ?? sql`true`} and ${inContentState(filter)}
         and ${hasPlacement(tx, visibility)} and ${hasType(tx, visibility, filter)}
       ${inOrder(sql`a`)} ${first}`;
  }
  if (informationTypeId !== undefined) {
    // The domain is checked once and first, so that a type of another domain takes as long as one that does not
    // exist.
    const ofType = sql`
      ${withinDomainsUnpeeked(visibility, domainOfType(tx, informationTypeId))}
         and p.tenant_id = ${tx.tenantId} and p.information_type_id = ${unpeeked(informationTypeId)}
         and ${withinDomainsUnpeeked(visibility, sql`p.domain_id`)} and ${asked(sql`p`)}`;
    return sql`
      select ${columns} from ${among(sql`asset_placements`, sql`p`, ofType, own === null ? null : ofAsset)}
       ${inOrder(sql`p`)} ${first}`;
  }
  if (visibility.kind === 'tenant' || isByContentState(filter)) {
    const active = sql`
      a.tenant_id = ${tx.tenantId} and a.status = 'active' and ${asked(sql`a`)}
         ${isByContentState(filter) ? sql`and ${inContentState(filter)} and a.content_state <> 'available'` : sql``}`;
    const others = conditionsOfAsset(
      isByContentState(filter) ? { ...filter, contentState: undefined } : filter,
    );
    const seen =
      visibility.kind === 'tenant' ? others : sql`${others ?? sql`true`} and ${hasPlacement(tx, visibility)}`;
    return sql`
      select a.asset_id, a.changed_at from ${among(sql`assets`, sql`a`, active, seen)}
       ${inOrder(sql`a`)} ${first}`;
  }
  const isBounded = own !== null && look !== undefined;
  const taken = sql`limit ${sql.whole(isBounded ? look : most)}`;
  // Takes the first of each domain and merges them. `distinct on` removes assets that are in several of the reader's
  // domains.
  const merged = sql`
    select distinct on (p.changed_at, p.asset_id) ${columns}
      from unnest(${unpeeked(visibility.domainIds)}) as o (domain_id) cross join lateral (
        select p.* from asset_placements p
         where p.tenant_id = ${tx.tenantId} and p.domain_id = o.domain_id and p.firmest and ${asked(sql`p`)}
           and ${isBounded ? sql`true` : ofAsset}
         ${inOrder(sql`p`)} ${taken}) p
     ${inOrder(sql`p`)} ${withPlacements ? sql`, ${firmestFirst}` : sql``} ${taken}`;
  return isBounded ? sql`select p.* from (${merged}) p where ${ofAsset} ${inOrder(sql`p`)} ${first}` : merged;
}

/** All conditions on `assets a` that placements cannot answer. Null if the filter has none. */
export function conditionsOfAsset(filter: WalkFilter): Statement | null {
  const own = ownConditions(filter);
  if (filter.contentState === undefined) return own;
  return sql`${inContentState(filter)} and ${own ?? sql`true`}`;
}

/** Condition on `assets a`: it has a placement of the type of the filter, in a domain of the reader. */
const hasType = (tx: Tx, visibility: Visibility, { informationTypeId }: WalkFilter): Statement =>
  informationTypeId === undefined
    ? sql`true`
    : sql`coalesce((
        select true from asset_placements p
         where p.tenant_id = ${unpeeked(tx.tenantId)} and p.asset_id = a.asset_id
           and p.information_type_id = ${unpeeked(informationTypeId)}
           and ${withinDomainsUnpeeked(visibility, sql`p.domain_id`)} limit 1), false)`;

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
export const isByContentState = ({ informationTypeId, contentState, ids }: WalkFilter): boolean =>
  informationTypeId === undefined &&
  ids === undefined &&
  contentState !== undefined &&
  contentState !== 'available';

/** A subquery for the domain of an information type. Its value is null if the type does not exist. */
export const domainOfType = (tx: Tx, informationTypeId: string): Statement =>
  sql`(select domain_id from information_types
        where tenant_id = ${tx.tenantId} and information_type_id = ${informationTypeId})`;

/** Condition: the row comes after the given place in the list. */
export const afterPlace = (of: Statement, after: AssetPlace | null, oldestFirst = false): Statement =>
  after === null
    ? sql`true`
    : sql`(${of}.changed_at, ${of}.asset_id) ${oldestFirst ? sql`>` : sql`<`} (${new Date(after.changedAt)}, ${after.assetId})`;
