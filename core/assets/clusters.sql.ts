import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { bounded } from '../kernel/list.ts';
import { findSimilar, type SimilarityKind } from '../similarity/read.ts';
import type { ClusterSchema, RelatedAssetSchema } from './asset-detail-schema.ts';
import { type NamedAsset, namedAssets } from './named-assets.sql.ts';
import { visibleAsset } from './visibility.sql.ts';

type Cluster = z.infer<typeof ClusterSchema>;
type RelatedAsset = z.infer<typeof RelatedAssetSchema>;

const MEMBERS_MAX = 50;

/**
 * The assets that the reader may see and that are like this one: the same bytes, nearly the same text, the same
 * template, a file inside one of the two. An asset is told of in the first of these that fits. Where a great many assets
 * share a text or a template, some of them are looked at, visible or not, so that fewer may be told than there are.
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
    { among: visible, decided: false, limit: MEMBERS_MAX + 1 },
  );
  const similarOf = async (kind: SimilarityKind): Promise<RelatedAsset[]> => {
    const similarity = new Map(
      similar.filter((each) => each.kind === kind).map((each) => [each.assetId, each.similarity]),
    );
    const assets = await named(tx, sql`a.asset_id = any(${[...similarity.keys()]}::text[])`);
    return assets
      .map((asset) => ({ ...asset, similarity: similarity.get(asset.assetId) ?? 0 }))
      .sort((a, b) => b.similarity - a.similarity);
  };
  const clusters = [
    cluster('identical_bytes', sure(await named(tx, sql`${sameBytes(contentHash, assetId)} and ${visible}`))),
    cluster('near_duplicate', await similarOf('near_duplicate')),
    cluster('same_template', await similarOf('same_template')),
    cluster(
      'attachment_copy',
      sure(await named(tx, sql`a.asset_id = any(array(${attached(tx, assetId, contentHash, visible)}))`)),
    ),
  ];
  return clusters.filter(({ assets }) => assets.items.length > 0);
}

const cluster = (kind: Cluster['kind'], assets: RelatedAsset[]): Cluster => ({
  kind,
  assets: bounded(assets, MEMBERS_MAX),
});

/** What is told by hashes is no estimate. */
const sure = (assets: readonly NamedAsset[]): RelatedAsset[] =>
  assets.map((asset) => ({ ...asset, similarity: 1 }));

const sameBytes = (contentHash: string | null, assetId: string): Statement =>
  contentHash === null
    ? sql`false`
    : sql`a.content_hash = decode(${contentHash}, 'hex') and a.asset_id <> ${assetId}`;

/**
 * Ids of the assets whose bytes are those of a file inside this one, and of those which have its bytes inside: of each
 * the first by id, in the order of an index, since a logo lies in a hundred thousand mails.
 */
const attached = (tx: Tx, assetId: string, contentHash: string | null, visible: Statement): Statement => sql`
  (select a.asset_id
     from asset_contents c join assets a on a.tenant_id = c.tenant_id and a.content_hash = c.content_hash
    where c.tenant_id = ${tx.tenantId} and c.asset_id = ${assetId}
      and a.status = 'active' and a.asset_id <> ${assetId} and ${visible}
    order by a.asset_id limit ${MEMBERS_MAX + 1})
  union
  (select a.asset_id
     from asset_contents c join assets a on a.tenant_id = c.tenant_id and a.asset_id = c.asset_id
    where c.tenant_id = ${tx.tenantId} and c.content_hash = decode(${contentHash}, 'hex')
      and a.status = 'active' and a.asset_id <> ${assetId} and ${visible}
    order by c.asset_id limit ${MEMBERS_MAX + 1})`;

const named = (tx: Tx, which: Statement) => namedAssets(tx, which, MEMBERS_MAX + 1);
