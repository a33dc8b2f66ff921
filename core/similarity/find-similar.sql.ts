import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { SimilarityKind } from './comparable.ts';
import { likenessOf, type Signatures } from './likeness.ts';
import type { Sketches } from './sketches.ts';

/** A similar asset, with the estimated Jaccard similarity. */
export type Similar = { assetId: string; kind: SimilarityKind; similarity: number };

/** The asset to compare. */
export type ComparedAsset = {
  assetId: string;
  /** SHA-256 of its bytes in hex. Null if they were not read. */
  contentHash: string | null;
  /** Null to use the stored ones. */
  sketches: Sketches | null;
};

export type SimilarQuery = {
  /** Condition on `assets a`. */
  among: Statement;
  /** Only assets that an owner has decided on. */
  decided: boolean;
  /** Limit for each kind. */
  limit: number;
};

/** Of a band that more assets share, only the first by id are read, so that a lookup has a fixed cost. */
const MAX_PER_BAND = 200;
/** Of these, the ones that share the most bands are compared. */
const MAX_COMPARED = 500;
/** The same limits, if several assets are compared at once with all others. */
const MAX_PER_BAND_OF_EACH = 30;
const MAX_COMPARED_OF_EACH = 40;

/**
 * Finds near-duplicates and documents of the same template, the most similar first. A near-duplicate is not listed as
 * of the same template too. Byte-identical copies are excluded. It takes one index lookup per band, then compares
 * signatures.
 */
export async function findSimilar(tx: Tx, asset: ComparedAsset, query: SimilarQuery): Promise<Similar[]> {
  const { assetId, contentHash } = asset;
  const own = asset.sketches === null ? await storedSketch(tx, assetId) : given(asset.sketches);
  if (own === null || own.bands.length === 0) return [];
  const rows = await tx.query<Signatures & { assetId: string }>(sql`
    with shared as materialized (
      select m.asset_id, count(*) as bands
        from unnest(${own.bands}::integer[]) as each (band)
       cross join lateral (
         select b.asset_id from sketch_bands b
          where b.tenant_id = ${tx.tenantId} and b.band = each.band
            and ${query.decided ? sql`b.decided` : sql`true`} and b.asset_id <> ${assetId}
          order by b.asset_id limit ${MAX_PER_BAND}) m
       group by m.asset_id
    ), picked as (
      select shared.asset_id
        from shared join assets a on a.tenant_id = ${tx.tenantId} and a.asset_id = shared.asset_id
       where a.status = 'active' and ${query.among}
         and (${contentHash}::text is null or a.content_hash is distinct from decode(${contentHash}, 'hex'))
       order by shared.bands desc, shared.asset_id limit ${MAX_COMPARED}
    )
    select s.asset_id as "assetId", s.shingles, s.template
      from picked join asset_sketches s on s.tenant_id = ${tx.tenantId} and s.asset_id = picked.asset_id`);
  const found = rows.flatMap((row) => judged(own, row));
  return nearestOfEachKind(found, query.limit);
}

/**
 * The same for several assets at once, with their stored sketches; at most `limit` of each kind for each asset. It
 * compares fewer assets, unless only `decided` ones are wanted, of which there are few.
 */
export async function findSimilarToEach(
  tx: Tx,
  assetIds: readonly string[],
  { decided, limit }: Pick<SimilarQuery, 'decided' | 'limit'>,
): Promise<(Similar & { source: string })[]> {
  const perBand = decided ? MAX_PER_BAND : MAX_PER_BAND_OF_EACH;
  const compared = decided ? MAX_COMPARED : MAX_COMPARED_OF_EACH;
  const rows = await tx.query<Signatures & { source: string; assetId: string }>(sql`
    with own as materialized (
      select s.asset_id, s.bands, a.content_hash
        from asset_sketches s join assets a on a.tenant_id = s.tenant_id and a.asset_id = s.asset_id
       where s.tenant_id = ${tx.tenantId} and s.asset_id = any(${assetIds}::text[])
    ), shared as materialized (
      select own.asset_id as source, m.asset_id, count(*) as bands
        from own cross join lateral unnest(own.bands) as each (band)
       cross join lateral (
         select b.asset_id from sketch_bands b
          where b.tenant_id = ${tx.tenantId} and b.band = each.band
            and ${decided ? sql`b.decided` : sql`true`} and b.asset_id <> own.asset_id
          order by b.asset_id limit ${perBand}) m
       group by own.asset_id, m.asset_id
    ), picked as (
      select source, asset_id from (
        select shared.source, shared.asset_id,
               row_number() over (partition by shared.source order by shared.bands desc, shared.asset_id) as place
          from shared
          join own on own.asset_id = shared.source
          join assets a on a.tenant_id = ${tx.tenantId} and a.asset_id = shared.asset_id
         where a.status = 'active' and (own.content_hash is null or a.content_hash is distinct from own.content_hash)
      ) numbered where place <= ${compared}
    )
    select picked.source, s.asset_id as "assetId", s.shingles, s.template
      from (select * from picked union all select distinct source, source from picked) picked
      join asset_sketches s on s.tenant_id = ${tx.tenantId} and s.asset_id = picked.asset_id`);
  return [...Map.groupBy(rows, ({ source }) => source).values()].flatMap((ofSource) => {
    const own = ofSource.find(({ source, assetId }) => source === assetId);
    if (own === undefined) return [];
    const found = ofSource.filter((row) => row !== own).flatMap((row) => judged(own, row));
    return nearestOfEachKind(found, limit).map((each) => ({ ...each, source: own.source }));
  });
}

/** The most similar first, near-duplicates before documents of the same template. */
const nearestOfEachKind = (found: readonly Similar[], limit: number): Similar[] =>
  (['near_duplicate', 'same_template'] as const).flatMap((kind) =>
    found
      .filter((each) => each.kind === kind)
      .sort((a, b) => b.similarity - a.similarity || (a.assetId < b.assetId ? -1 : 1))
      .slice(0, limit),
  );

function judged(own: Signatures, { assetId, ...other }: Signatures & { assetId: string }): Similar[] {
  const likeness = likenessOf(own, other);
  return likeness === null ? [] : [{ assetId, ...likeness }];
}

const given = ({ shingles, template }: Sketches): Signatures & { bands: readonly number[] } => ({
  shingles: shingles?.signature ?? null,
  template: template?.signature ?? null,
  bands: [...(shingles?.bands ?? []), ...(template?.bands ?? [])],
});

async function storedSketch(tx: Tx, assetId: string): Promise<(Signatures & { bands: number[] }) | null> {
  const [row] = await tx.query<Signatures & { bands: number[] }>(sql`
    select shingles, template, bands from asset_sketches
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
  return row ?? null;
}
