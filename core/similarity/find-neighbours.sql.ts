import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { cosine } from '../inference/packed.ts';

/** Another asset, and the cosine between both vectors. */
export type Neighbour = { assetId: string; similarity: number };

/** Number of vectors that are read and compared, those with the nearest bits. */
const MAX_COMPARED = 600;
/**
 * Candidates checked in the order of their bits until enough are found, because some belong to deleted or excluded
 * assets. Fewer visible assets are all checked; see `few`.
 */
const MAX_SOUGHT = 4_000;

/** The neighbors to find. */
export type NeighbourQuery = {
  /** Condition on `assets a`; null for all assets. */
  among: Statement | null;
  /** Selects the ids of these assets if they are few enough to compare each of them; otherwise null. */
  few: Statement | null;
  /** Minimum cosine, and maximum number of results. */
  least: number;
  limit: number;
};

type OwnVector = { space: number; vector: Uint8Array; bits: string };

/**
 * Finds the assets whose vectors of the same provider and model are nearest to that of an asset, the nearest first.
 * The sign bits of all vectors select candidates: a search reads 64 bytes of each vector of the tenant from an index.
 * Candidates are compared exactly, with one byte per dimension.
 */
export async function findNeighbours(tx: Tx, assetId: string, query: NeighbourQuery): Promise<Neighbour[]> {
  const [own] = await tx.query<OwnVector>(sql`
    select space, vector, bits::text as bits from asset_vectors
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
  if (own === undefined) return [];
  const rows = await tx.query<{ assetId: string; vector: Uint8Array }>(comparedWith(tx, assetId, own, query));
  const vector = signed(own.vector);
  return rows
    .map((row) => ({ assetId: row.assetId, similarity: cosine(vector, signed(row.vector)) }))
    .filter(({ similarity }) => similarity >= query.least)
    .sort((a, b) => b.similarity - a.similarity || (a.assetId < b.assetId ? -1 : 1))
    .slice(0, query.limit);
}

/** Selects the vectors to compare with. */
export function comparedWith(
  tx: Tx,
  assetId: string,
  own: Pick<OwnVector, 'space' | 'bits'>,
  { among, few }: Pick<NeighbourQuery, 'among' | 'few'>,
): Statement {
  // The array makes the planner use the index on ids.
  const these = few === null ? sql`true` : sql`v.asset_id = any(array(${few}))`;
  return sql`
    with picked as materialized (
      select near.asset_id
        from (select v.asset_id, bit_count(v.bits # ${own.bits}::bit(512)) as distance
                from asset_vectors v
               where v.tenant_id = ${tx.tenantId} and v.space = ${own.space} and v.asset_id <> ${assetId} and ${these}
               order by distance, v.asset_id limit ${MAX_SOUGHT}) near
       -- A scalar subquery and no join, so that rows are read in order and only as far as necessary.
       where (select a.status = 'active' and ${among ?? sql`true`} from assets a
               where a.tenant_id = ${tx.tenantId} and a.asset_id = near.asset_id)
       order by near.distance, near.asset_id limit ${MAX_COMPARED}
    )
    select v.asset_id as "assetId", v.vector
      from picked join asset_vectors v on v.tenant_id = ${tx.tenantId} and v.asset_id = picked.asset_id`;
}

const signed = ({ buffer, byteOffset, byteLength }: Uint8Array): Int8Array =>
  new Int8Array(buffer, byteOffset, byteLength);
