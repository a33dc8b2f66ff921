import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { RelatedDecision } from '../inference/contributions.ts';
import type { AssetId } from '../kernel/ids.ts';
import { findSimilar, findSimilarToEach, type Similar } from '../similarity/find-similar.sql.ts';
import type { Sketches } from '../similarity/sketches.ts';

const MAX_DECISIONS = 100;
/** Limit for near-duplicates, and again for documents of the same template. */
const MAX_NEAR = 20;

/**
 * Decisions of owners on byte-identical copies of an asset, then on near-duplicates and on documents of the same
 * template (`near`), the newest first. A correction counts for the type that it names and against the type of the
 * question.
 * @param contentHash null if no bytes were read; there are then no copies
 * @param sketches of the present content; null to use the stored ones
 * @param decidedBefore leaves later decisions out; null for all of them
 */
export async function decisionsOnCopies(
  tx: Tx,
  assetId: AssetId,
  contentHash: string | null,
  sketches: Sketches | null = null,
  decidedBefore: Date | null = null,
): Promise<RelatedDecision[]> {
  const [exact, similar] = await Promise.all([
    decisionsOnIdentical(tx, [{ assetId, contentHash }], decidedBefore),
    findSimilar(tx, { assetId, contentHash, sketches }, { among: sql`true`, decided: true, limit: MAX_NEAR }),
  ]);
  const near = await decisionsOnSimilar(
    tx,
    similar.map((each) => ({ ...each, source: assetId })),
    decidedBefore,
  );
  return relatedBy([...exact, ...near]).get(assetId) ?? [];
}

/** The same for several assets at once, by their stored sketches. Assets without such decisions are left out. */
export async function decisionsOnCopiesOfEach(
  tx: Tx,
  assets: readonly { assetId: AssetId; contentHash: string | null }[],
): Promise<Map<string, RelatedDecision[]>> {
  const [exact, similar] = await Promise.all([
    decisionsOnIdentical(tx, assets, null),
    findSimilarToEach(
      tx,
      assets.map(({ assetId }) => assetId),
      { decided: true, limit: MAX_NEAR },
    ),
  ]);
  return relatedBy([...exact, ...(await decisionsOnSimilar(tx, similar, null))]);
}

type RelatedTo = RelatedDecision & { source: string };

const relatedBy = (all: readonly RelatedTo[]): Map<string, RelatedDecision[]> =>
  new Map(
    [...Map.groupBy(all, ({ source }) => source)].map(([source, related]) => [
      source,
      related.map(({ source: _, ...decision }) => decision),
    ]),
  );

async function decisionsOnIdentical(
  tx: Tx,
  assets: readonly { assetId: AssetId; contentHash: string | null }[],
  before: Date | null,
): Promise<RelatedTo[]> {
  const hashed = assets.filter(({ contentHash }) => contentHash !== null);
  if (hashed.length === 0) return [];
  const sources = sql`unnest(${hashed.map(({ assetId }) => assetId)}::text[],
                             ${hashed.map(({ contentHash }) => contentHash)}::text[]) as w (source, hash)`;
  const said = await decisionsOn(
    tx,
    before,
    sources,
    sql`a.decided and a.content_hash = decode(w.hash, 'hex') and a.status = 'active' and a.asset_id <> w.source`,
  );
  return said.map(({ assetId: _, ...decision }) => ({ kind: 'exact', ...decision }));
}

async function decisionsOnSimilar(
  tx: Tx,
  similar: readonly (Similar & { source: string })[],
  before: Date | null,
): Promise<RelatedTo[]> {
  if (similar.length === 0) return [];
  const pairOf = ({ source, assetId }: { source: string; assetId: string }) => `${source} ${assetId}`;
  const likenesses = new Map(similar.map((each) => [pairOf(each), each]));
  const sources = sql`(
    select source, array_agg(asset_id) as assets
      from unnest(${similar.map(({ source }) => source)}::text[],
                  ${similar.map(({ assetId }) => assetId)}::text[]) as pair (source, asset_id)
     group by source) w`;
  const said = await decisionsOn(tx, before, sources, sql`a.asset_id = any(w.assets)`);
  return said.flatMap(({ assetId, ...decision }): RelatedTo[] => {
    const like = likenesses.get(pairOf({ source: decision.source, assetId }));
    return like === undefined
      ? []
      : [{ kind: 'near', ...decision, likeness: like.kind, similarity: like.similarity }];
  });
}

/** Decisions on `assets a` for each source of `w`: one row for each asset, type and outcome. */
const decisionsOn = (tx: Tx, before: Date | null, sources: Statement, which: Statement) =>
  tx.query<Pick<RelatedTo, 'source' | 'informationTypeId' | 'outcome'> & { assetId: string }>(sql`
    select w.source, said.asset_id as "assetId", said.information_type_id as "informationTypeId", said.outcome
      from ${sources} cross join lateral (
        select * from (
          select distinct a.asset_id, d.created_at, d.decision_id, said.information_type_id, said.outcome
            from assets a
            join candidates k on k.tenant_id = a.tenant_id and k.asset_id = a.asset_id
            join decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
           cross join lateral (values
                   (d.corrected_information_type_id, 'confirmed'),
                   (k.information_type_id,
                    case when k.status = 'confirmed'
                          and coalesce(d.corrected_information_type_id, k.information_type_id) = k.information_type_id
                         then 'confirmed' else 'refused' end)
                 ) as said (information_type_id, outcome)
           where a.tenant_id = ${tx.tenantId} and ${which}
             and ${before === null ? sql`true` : sql`d.created_at < ${before}`}
             and k.status in ('confirmed', 'rejected') and said.information_type_id is not null
        ) each_once
       order by created_at desc, decision_id, information_type_id limit ${MAX_DECISIONS}) said
     order by w.source, said.created_at desc, said.decision_id, said.information_type_id`);
