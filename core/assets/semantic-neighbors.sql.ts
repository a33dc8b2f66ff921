import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { tyingCandidate, visibleAsset } from '../authz/visibility.sql.ts';
import { requireVisible } from '../authz/visible-asset.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { findNeighbours } from '../similarity/find-neighbours.sql.ts';
import { RelatedAssetSchema } from './asset-detail-schema.ts';
import { namedAssets } from './named-assets.sql.ts';

/** Defaults of the specification. */
export const LEAST_COSINE = 0.55;
export const MAX_NEIGHBORS = 8;
/** A reader who may see fewer assets has all of them compared, whatever their cell in the index. */
const FEW_ASSETS = 10_000;

/** `similarity` is the cosine of the embeddings. */
export const SemanticNeighborsSchema = z.object({
  items: z.array(RelatedAssetSchema),
});

type Neighbors = z.infer<typeof SemanticNeighborsSchema>;

/**
 * The assets with the closest embeddings among those that the reader may see. Empty for an asset without text. Throws
 * `not_found` if the asset does not exist or the reader may not see it.
 */
export async function semanticNeighbors(tx: Tx, visibility: Visibility, assetId: string): Promise<Neighbors> {
  await requireVisible(tx, visibility, assetId);
  const found = await findNeighbours(tx, assetId, {
    among: visibility.kind === 'tenant' ? null : visibleAsset(visibility),
    few: await fewVisible(tx, visibility),
    least: LEAST_COSINE,
    limit: MAX_NEIGHBORS,
  });
  const ids = found.map((each) => each.assetId);
  const named = await namedAssets(tx, ids);
  const byId = new Map(named.map((each) => [each.assetId, each]));
  return {
    items: found.flatMap(({ assetId: id, similarity }) => {
      const one = byId.get(id);
      return one === undefined ? [] : [{ ...one, similarity: Math.round(similarity * 1_000) / 1_000 }];
    }),
  };
}

/** Selects the ids of the assets that the reader may see, if they are few; otherwise null. */
async function fewVisible(tx: Tx, visibility: Visibility) {
  if (visibility.kind === 'tenant') return null;
  const tied = sql`
    select k.asset_id from candidates k where k.tenant_id = ${tx.tenantId} and ${tyingCandidate(visibility)}`;
  const [counted] = await tx.query<{ count: number }>(
    sql`select count(*) from (${tied} limit ${FEW_ASSETS + 1}) as counted`,
  );
  return (counted?.count ?? 0) > FEW_ASSETS ? null : sql`select distinct asset_id from (${tied}) as tied`;
}
