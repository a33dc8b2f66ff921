import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { newestPlacements, type Walk } from './newest-placements.sql.ts';

/** The sample: this many of the newest assets show how frequent a match is. */
const SAMPLE = 100;
/** If a match is so rare that more assets would have to be read, an index is used. */
const MAX_NEWEST = 8_000;

/** Ids in the order of the list. `isWhole` is false if older assets may match that were not read. */
export type Found = { assetIds: string[]; isWhole: boolean };

/**
 * The newest matches. A sample of the newest assets shows how frequent matches are. Frequent matches are found by a
 * walk through the newest assets, rare ones by an index.
 * @param matches condition on the list `n` of ids. It must be a scalar subquery and no join, so that the list is read
 * in its order.
 * @param byIndex returns null if the index cannot answer
 */
export async function newestMatching(
  tx: Tx,
  visibility: Visibility,
  { matches, byIndex }: { matches: Statement; byIndex(walk: Walk): Promise<string[] | null> },
  walk: Walk,
): Promise<Found> {
  const among = (newest: number) => amongNewest(tx, visibility, matches, walk, newest);
  const sample = await among(SAMPLE);
  if (sample.isWhole) return sample;
  const needed = neededFor(sample, walk.most);
  const met = needed <= MAX_NEWEST ? await among(needed) : sample;
  if (met.isWhole) return met;
  const assetIds = await byIndex(walk);
  return assetIds === null ? among(MAX_NEWEST) : { assetIds, isWhole: true };
}

/**
 * How far to walk, estimated from a sample: half as far again, rounded up to steps, so that few different statements
 * are prepared.
 */
const neededFor = ({ assetIds }: Found, most: number): number =>
  250 * 2 ** Math.ceil(Math.log2(Math.max(1, (1.5 * most * SAMPLE) / assetIds.length / 250)));

/** The matches among the `most` newest assets that the reader may see and the filter allows. */
async function amongNewest(
  tx: Tx,
  visibility: Visibility,
  matches: Statement,
  walk: Walk,
  most: number,
): Promise<Found> {
  const newest = newestPlacements(tx, visibility, { ...walk, most }, { withPlacements: false });
  const [met] = await tx.query<{ isAll: boolean; assetIds: string[] }>(sql`
    with newest as materialized (${newest})
    select (select count(*) from newest) < ${sql.whole(most)} as "isAll",
           array(select n.asset_id from newest n where ${matches} limit ${sql.whole(walk.most)}) as "assetIds"`);
  const { isAll, assetIds } = met ?? { isAll: true, assetIds: [] };
  return { assetIds, isWhole: isAll || assetIds.length === walk.most };
}
