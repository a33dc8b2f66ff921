import type { AssetFilter } from '../assets/asset-schema.ts';
import { assetById } from '../authz/asset-by-id.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinAskedDomains } from '../governance/asked-domains.ts';
import { MAX_COUNTED, type Total, totalOf } from '../kernel/list.ts';
import { inContentState, isRarelyAsked, ownConditions } from './asset-filter.sql.ts';
import { isByContentState, newestPlacements, type Walk } from './newest-placements.sql.ts';

/** For conditions that no index answers, this many of the newest assets are looked at. */
export const LOOKED_AT = 5_000;

/**
 * How many assets the reader may see under the filter without `q`. At most `LOOKED_AT` of the newest are looked at: if
 * there are more, the total is not exact.
 */
export async function countAssets(
  tx: Tx,
  visibility: Visibility,
  { q: _, domainId, ownerId, ...filter }: AssetFilter,
): Promise<Total> {
  const seen = await withinAskedDomains(tx, visibility, { domainId, ownerId });
  const { walked, others } = splitFilter(filter);
  const looked = newestPlacements(
    tx,
    seen,
    { filter: walked, after: null, most: (others === null ? MAX_COUNTED : LOOKED_AT) + 1 },
    { withPlacements: false },
  );
  const text = sql`
    with looked as materialized (${looked})
    select (select count(*)::int from looked) as looked, ${
      others === null
        ? sql`null::int`
        : sql`(select count(*)::int from (select asset_id from looked limit ${sql.whole(LOOKED_AT)}) l cross join lateral ${assetById(tx, sql`l.asset_id`)} where ${others})`
    } as met`;
  const [row] = await tx.query<{ looked: number; met: number | null }>(
    isRarelyAsked(filter) ? sql.unprepared(text) : text,
  );
  const { looked: all, met } = row ?? { looked: 0, met: null };
  return met === null ? totalOf(all) : { total: met, totalIsExact: all <= LOOKED_AT };
}

/** Whether no more assets than those that are looked at meet the conditions that an index answers. */
export async function isWithinLooked(
  tx: Tx,
  visibility: Visibility,
  filter: Walk['filter'],
): Promise<boolean> {
  const { walked, others } = splitFilter(filter);
  if (others === null) return true;
  const walk: Walk = { filter: walked, after: null, most: LOOKED_AT + 1 };
  const looked = newestPlacements(tx, visibility, walk, { withPlacements: false });
  const [row] = await tx.query<{ looked: number }>(
    sql.unprepared(sql`select count(*)::int as looked from (${looked}) l`),
  );
  return (row?.looked ?? 0) <= LOOKED_AT;
}

/** The part of the filter that a walk answers from its index, and conditions on `assets a` for the others. */
function splitFilter(filter: Walk['filter']): { walked: Walk['filter']; others: Statement | null } {
  const {
    fileFormat: _,
    labelGuid: _label,
    exposure: _exposure,
    identifier: _identifier,
    ...walked
  } = filter;
  if (filter.ids !== undefined) return { walked: filter, others: null };
  const own = ownConditions(filter);
  if (filter.contentState === undefined || isByContentState(filter)) return { walked, others: own };
  return {
    walked: { ...walked, contentState: undefined },
    others: sql`${inContentState(filter)} and ${own ?? sql`true`}`,
  };
}
