import type { Visibility } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { findSimilarToEach } from '../similarity/find-similar.sql.ts';
import { CONNECTION_REASONS, type ConnectionReason } from './connection-schema.ts';

/** A connection of an asset with another one, and whether the reader may see the other one. */
export type Connection = {
  source: string;
  target: string;
  reason: ConnectionReason;
  similarity: number;
  visible: boolean;
};

/**
 * Connections of one asset and kind. More than fit into a graph, so that enough of them are visible to the reader.
 */
const MAX_OF_A_KIND = 100;

type Found = Omit<Connection, 'visible'>;

/**
 * The connections of the assets by bytes, text or files inside. Each pair has its strongest reason. They are ordered
 * by strength, then visible ones first, then by id. Connections with assets that the reader may not see are included.
 * It takes three statements, however many assets there are.
 * @param further connections that are already known
 */
export async function connectedWith(
  tx: Tx,
  visibility: Visibility,
  assetIds: readonly string[],
  further: readonly Found[],
): Promise<Connection[]> {
  const similar = await findSimilarToEach(tx, assetIds, { decided: false, limit: MAX_OF_A_KIND });
  const found: Found[] = [
    ...(await byHash(tx, assetIds)),
    ...similar.map(({ source, assetId, kind, similarity }) => ({
      source,
      target: assetId,
      reason: kind,
      similarity,
    })),
    ...further,
  ];
  const visible = await visibleAmong(tx, visibility, [...new Set(found.map(({ target }) => target))]);
  const inOrder = found
    .flatMap((each) => {
      const seen = visible.get(each.target);
      return seen === undefined ? [] : [{ ...each, visible: seen }];
    })
    .sort(strongestFirst);
  return [...Map.groupBy(inOrder, ({ source, target }) => `${source} ${target}`).values()].flatMap((pair) =>
    pair.slice(0, 1),
  );
}

function strongestFirst(a: Connection, b: Connection): number {
  return (
    CONNECTION_REASONS.indexOf(a.reason) - CONNECTION_REASONS.indexOf(b.reason) ||
    b.similarity - a.similarity ||
    Number(b.visible) - Number(a.visible) ||
    (a.target < b.target ? -1 : a.target > b.target ? 1 : 0) ||
    (a.source < b.source ? -1 : 1)
  );
}

/** Equal bytes, and files of one asset that are inside the other; of each the first by id. */
const byHash = (tx: Tx, assetIds: readonly string[]): Promise<Found[]> =>
  tx.query<Found>(sql`
    with own as materialized (
      select asset_id, content_hash from assets where tenant_id = ${tx.tenantId} and asset_id = any(${assetIds}::text[])
    )
    select own.asset_id as source, a.asset_id as target, 'identical_bytes' as reason, 1 as similarity
      from own cross join lateral (
        select c.asset_id from assets c
         where c.tenant_id = ${tx.tenantId} and c.content_hash = own.content_hash and c.status = 'active'
           and c.asset_id <> own.asset_id
         order by c.asset_id limit ${MAX_OF_A_KIND}) a
     where own.content_hash is not null
    union all
    select own.asset_id, a.asset_id, 'attachment_copy', 1
      from own cross join lateral (
        select f.asset_id
          from asset_contents h cross join lateral (
            select c.asset_id from assets c
             where c.tenant_id = ${tx.tenantId} and c.content_hash = h.content_hash and c.status = 'active'
               and c.asset_id <> own.asset_id
             order by c.asset_id limit ${MAX_OF_A_KIND}) f
         where h.tenant_id = ${tx.tenantId} and h.asset_id = own.asset_id
         order by f.asset_id limit ${MAX_OF_A_KIND}) a
    union all
    select own.asset_id, a.asset_id, 'attachment_copy', 1
      from own cross join lateral (
        select h.asset_id
          from asset_contents h join assets c on c.tenant_id = h.tenant_id and c.asset_id = h.asset_id
         where h.tenant_id = ${tx.tenantId} and h.content_hash = own.content_hash and c.status = 'active'
           and h.asset_id <> own.asset_id
         order by h.asset_id limit ${MAX_OF_A_KIND}) a
     where own.content_hash is not null`);

/** The active ones of the assets, with whether the reader may see them. */
async function visibleAmong(
  tx: Tx,
  visibility: Visibility,
  assetIds: readonly string[],
): Promise<Map<string, boolean>> {
  const rows = await tx.query<{ assetId: string; visible: boolean }>(sql`
    select a.asset_id as "assetId", ${visibleAsset(visibility)} as visible from assets a
     where a.tenant_id = ${tx.tenantId} and a.asset_id = any(${assetIds}::text[]) and a.status = 'active'`);
  return new Map(rows.map(({ assetId, visible }) => [assetId, visible]));
}
