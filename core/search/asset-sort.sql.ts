import { z } from 'zod';
import { assetById } from '../authz/asset-by-id.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { validationFailed } from '../kernel/errors.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { LOOKED_AT } from './asset-counts.sql.ts';
import { newestPlacements, type Walk } from './newest-placements.sql.ts';

/** Orders of the list. A minus: the latest, most severe, last in the alphabet or largest first. */
const ASSET_SORTS = ['-changed', 'changed', '-risk', 'name', '-name', '-size', 'size'] as const;
export type AssetSort = (typeof ASSET_SORTS)[number];
export const AssetSortSchema = z.enum(ASSET_SORTS);

/** Throws `validation_failed` for a search with an order of its own. */
export function requireOrderOfWalk(
  { q = '' }: { q?: string | undefined },
  sort: AssetSort | undefined,
): void {
  if (q !== '' && sort !== undefined)
    throw validationFailed([{ path: 'sort', message: 'A search with `q` has its own order.' }]);
}

/** Orders that no index holds. They are made of the newest assets. */
const COLUMNS: Partial<Record<AssetSort, Statement>> = {
  name: sql`lower(a.name), a.asset_id`,
  '-name': sql`lower(a.name) desc, a.asset_id desc`,
  size: sql`a.size_bytes, a.asset_id`,
  '-size': sql`a.size_bytes desc, a.asset_id desc`,
};

/** Ids in the order asked for. Null for the orders of a walk, which needs none. */
export async function sortedAssets(
  tx: Tx,
  visibility: Visibility,
  walk: Walk,
  sort: AssetSort,
): Promise<string[] | null> {
  const column = COLUMNS[sort];
  if (column !== undefined) return sortedBy(tx, visibility, walk, column);
  return sort === '-risk' && walk.filter.riskSeverity === undefined ? byRisk(tx, visibility, walk) : null;
}

const idsOf = async (tx: Tx, statement: Statement): Promise<string[]> => {
  const rows = await tx.query<{ assetId: string }>(sql.unprepared(statement));
  return rows.map(({ assetId }) => assetId);
};

const sortedBy = (tx: Tx, visibility: Visibility, walk: Walk, column: Statement): Promise<string[]> =>
  idsOf(
    tx,
    sql`
      select a.asset_id as "assetId"
        from (${newestPlacements(tx, visibility, { ...walk, most: LOOKED_AT }, { withPlacements: false })}) p
       cross join lateral ${assetById(tx, sql`p.asset_id`)}
       order by ${column} limit ${sql.whole(walk.most)}`,
  );

/** One walk for each severity, the most severe first, until there are enough. */
async function byRisk(tx: Tx, visibility: Visibility, walk: Walk): Promise<string[]> {
  const ids: string[] = [];
  for (const riskSeverity of [...SEVERITIES.toReversed(), null]) {
    const most = walk.most - ids.length;
    if (most === 0) break;
    const of = { ...walk, filter: { ...walk.filter, riskSeverity }, most };
    ids.push(
      ...(await idsOf(
        tx,
        sql`select asset_id as "assetId" from (${newestPlacements(tx, visibility, of, { withPlacements: false })}) p`,
      )),
    );
  }
  return ids;
}
