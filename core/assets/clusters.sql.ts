import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { bounded } from '../kernel/list.ts';
import { findSimilar } from '../similarity/find-similar.sql.ts';
import { CLUSTER_KINDS, type ClusterSchema } from './asset-detail-schema.ts';
import { namedAssets } from './named-assets.sql.ts';

type Cluster = z.infer<typeof ClusterSchema>;

const MAX_MEMBERS = 50;

/**
 * The assets that the reader may see and that are similar to this one: the same bytes, nearly the same text, the same
 * template, or one is a file inside the other. Each asset is listed under the first of these that applies. If very
 * many assets share a text or a template, only some of them are checked, including those that the reader may not see.
 * The list can then be incomplete.
 */
export async function clustersOf(tx: Tx, assetId: string, visibility: Visibility): Promise<Cluster[]> {
  const visible = visibleAsset(visibility);
  const [own] = await tx.query<{ contentHash: string | null }>(sql`
    select encode(content_hash, 'hex') as "contentHash" from assets
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
  const contentHash = own?.contentHash ?? null;
  const similar = await findSimilar(
    tx,
    { assetId, contentHash, sketches: null },
    { among: visible, decided: false, limit: MAX_MEMBERS + 1 },
  );
  // Similarity by hash is exact and needs no estimate.
  const byHash = await tx.query<Found>(sql`
    (select 'identical_bytes' as kind, a.asset_id as "assetId", 1 as similarity from assets a
      where a.tenant_id = ${tx.tenantId} and a.content_hash = decode(${contentHash}, 'hex') and a.asset_id <> ${assetId}
        and a.status = 'active' and ${visible}
      order by a.asset_id limit ${MAX_MEMBERS + 1})
    union all
    (select 'attachment_copy', asset_id, 1 from (${attached(tx, assetId, contentHash, visible)}) as each
      order by asset_id limit ${MAX_MEMBERS + 1})`);
  const found: Found[] = [...byHash, ...similar];
  if (found.length === 0) return [];
  const ids = found.map((each) => each.assetId);
  const named = await namedAssets(tx, ids);
  const byId = new Map(named.map((each) => [each.assetId, each]));
  return CLUSTER_KINDS.flatMap((kind) => {
    const assets = found.flatMap((each) => {
      const asset = byId.get(each.assetId);
      return each.kind !== kind || asset === undefined ? [] : [{ ...asset, similarity: each.similarity }];
    });
    return assets.length === 0 ? [] : [{ kind, assets: bounded(assets, MAX_MEMBERS) }];
  });
}

type Found = { kind: Cluster['kind']; assetId: string; similarity: number };

/**
 * Ids of assets whose bytes are those of a file inside this one, and of assets with a file that has this one's bytes.
 * Each part is limited to the first ids in the order of an index, because a logo can be in a hundred thousand mails.
 */
const attached = (tx: Tx, assetId: string, contentHash: string | null, visible: Statement): Statement => sql`
  (select a.asset_id
     from asset_contents c join assets a on a.tenant_id = c.tenant_id and a.content_hash = c.content_hash
    where c.tenant_id = ${tx.tenantId} and c.asset_id = ${assetId}
      and a.status = 'active' and a.asset_id <> ${assetId} and ${visible}
    order by a.asset_id limit ${MAX_MEMBERS + 1})
  union
  (select a.asset_id
     from asset_contents c join assets a on a.tenant_id = c.tenant_id and a.asset_id = c.asset_id
    where c.tenant_id = ${tx.tenantId} and c.content_hash = decode(${contentHash}, 'hex')
      and a.status = 'active' and a.asset_id <> ${assetId} and ${visible}
    order by c.asset_id limit ${MAX_MEMBERS + 1})`;
