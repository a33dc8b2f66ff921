import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { SimilarityKind } from '../similarity/comparable.ts';
import { findSimilar } from '../similarity/find-similar.sql.ts';

/** An asset that a decision on a similar one scores again, and why. `similarity` is 0 to 1. */
export type RelatedAsset = {
  assetId: AssetId;
  kind: 'identical_bytes' | SimilarityKind;
  similarity: number;
};

/** Limit for byte-identical copies, for near-duplicates and for documents of the same template, each. */
const MAX_RELATED = 200;

/** Active assets that are similar to an asset: copies first, then the most similar. The list ignores visibility. */
export async function relatedAssets(tx: Tx, assetId: string): Promise<RelatedAsset[]> {
  const [own] = await tx.query<{ contentHash: string | null }>(sql`
    select encode(content_hash, 'hex') as "contentHash" from assets
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
  const contentHash = own?.contentHash ?? null;
  const copies = await tx.query<{ assetId: AssetId }>(sql`
    select asset_id as "assetId" from assets
     where tenant_id = ${tx.tenantId} and content_hash = decode(${contentHash}, 'hex') and status = 'active'
       and asset_id <> ${assetId}
     order by asset_id limit ${MAX_RELATED}`);
  const similar = await findSimilar(
    tx,
    { assetId, contentHash, sketches: null },
    { among: sql`true`, decided: false, limit: MAX_RELATED },
  );
  return [
    ...copies.map((copy): RelatedAsset => ({ ...copy, kind: 'identical_bytes', similarity: 1 })),
    ...similar.map((each): RelatedAsset => ({ ...each, assetId: each.assetId as AssetId })),
  ];
}
