import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { isRepresentative } from './question.sql.ts';

/** An asset whose similarity to others, or whose questions, have changed. */
export type ReviewChange = {
  changeId: number;
  assetId: string;
  /** The former SHA-256 in hex and the former bands of its sketches. Null if they have not changed. */
  contentHash: string | null;
  bands: number[] | null;
};

/** Assets read per shared hash or band, the first by id. The follow-up of a decision has the same limit. */
const MAX_ALIKE = 200;
/** Counts stop here. */
const MAX_RELATED_COUNTED = 200;
const OPEN = sql`k.status in ('pending', 'deferred') and k.asset_active`;

/** The oldest changes that are not counted yet, at most `limit`. */
export const nextChanges = (tx: Tx, limit: number): Promise<ReviewChange[]> =>
  tx.query<ReviewChange>(sql`
    select change_id as "changeId", asset_id as "assetId", encode(content_hash, 'hex') as "contentHash", bands
      from review_changes where tenant_id = ${tx.tenantId} order by change_id limit ${limit}`);

export async function forgetChanges(tx: Tx, changes: readonly ReviewChange[]): Promise<void> {
  await tx.execute(sql`
    delete from review_changes
     where tenant_id = ${tx.tenantId} and change_id = any(${changes.map((each) => each.changeId)}::bigint[])`);
}

/** Ids, in order, of assets with open questions whose count the changes may have affected. */
export async function affectedBy(tx: Tx, changes: readonly ReviewChange[]): Promise<string[]> {
  const { tenantId } = tx;
  const assetIds = [...new Set(changes.map((each) => each.assetId))];
  const formerHashes = changes.flatMap((each) => each.contentHash ?? []);
  const formerBands = changes.flatMap((each) => each.bands ?? []);
  const rows = await tx.query<{ assetId: string }>(sql`
    with changed as materialized (select unnest(${assetIds}::text[]) as asset_id),
    hashes as materialized (
      select a.content_hash as hash from changed join assets a on a.tenant_id = ${tenantId} and a.asset_id = changed.asset_id
       where a.content_hash is not null
      union
      select decode(former, 'hex') from unnest(${formerHashes}::text[]) as former
    ), bands as materialized (
      select unnest(s.bands) as band
        from changed join asset_sketches s on s.tenant_id = ${tenantId} and s.asset_id = changed.asset_id
      union
      select unnest(${formerBands}::integer[])
    )
    select x.asset_id as "assetId" from (
      select asset_id from changed
      union
      select c.asset_id from hashes cross join lateral (
        select a.asset_id from assets a
         where a.tenant_id = ${tenantId} and a.content_hash = hashes.hash and a.status = 'active'
         order by a.asset_id limit ${MAX_ALIKE}) c
      union
      select m.asset_id from bands cross join lateral (
        select b.asset_id from sketch_bands b
         where b.tenant_id = ${tenantId} and b.band = bands.band order by b.asset_id limit ${MAX_ALIKE}) m
    ) x
     where exists (select from candidates k
                    where k.tenant_id = ${tenantId} and k.asset_id = x.asset_id and ${OPEN})
     order by 1`);
  return rows.map((row) => row.assetId);
}

/** The number of related assets of an asset about which a domain is asked. */
export type RelatedCount = { assetId: string; domainId: string; count: number };

/**
 * Counts, for each asset and domain, the related assets about which the domain is asked.
 * @param related ids of the related assets of each asset
 */
export async function countRelated(
  tx: Tx,
  related: ReadonlyMap<string, readonly string[]>,
): Promise<RelatedCount[]> {
  const ids = [...new Set([...related.values()].flat())];
  const asked = await tx.query<{ assetId: string; domainIds: string[] }>(sql`
    select k.asset_id as "assetId", array_agg(distinct k.domain_id) as "domainIds" from candidates k
     where k.tenant_id = ${tx.tenantId} and k.asset_id = any(${ids}::text[]) and ${OPEN}
     group by k.asset_id`);
  const domainsOf = new Map(asked.map((each) => [each.assetId, each.domainIds]));
  return [...related].flatMap(([assetId, relatedIds]) =>
    [
      ...Map.groupBy(
        relatedIds.flatMap((each) => domainsOf.get(each) ?? []),
        (domainId) => domainId,
      ),
    ].map(([domainId, all]) => ({ assetId, domainId, count: Math.min(all.length, MAX_RELATED_COUNTED) })),
  );
}

/**
 * Stores counts with the open questions of assets; a missing count is 0. An asset whose row is locked is recorded as
 * a change for the next run, so that this transaction never waits while it holds locks. The count of a representative is that
 * of its group and stays.
 */
export async function storeCounts(
  tx: Tx,
  assetIds: readonly string[],
  counts: readonly RelatedCount[],
): Promise<void> {
  const { tenantId } = tx;
  const free = await tx.query<{ assetId: string }>(sql`
    select asset_id as "assetId" from assets
     where tenant_id = ${tenantId} and asset_id = any(${assetIds}::text[])
     order by asset_id for no key update skip locked`);
  const freeIds = free.map((each) => each.assetId);
  const held = assetIds.filter((each) => !freeIds.includes(each));
  await tx.execute(sql`
    insert into review_changes (tenant_id, asset_id) select ${tenantId}, unnest(${held}::text[])`);
  await tx.execute(sql`
    with counted as (
      select * from unnest(${counts.map((each) => each.assetId)}::text[], ${counts.map((each) => each.domainId)}::text[],
                           ${counts.map((each) => each.count)}::integer[]) as c (asset_id, domain_id, count)
    ), fresh as (
      select k.candidate_id, coalesce(c.count, 0) as count
        from candidates k left join counted c on c.asset_id = k.asset_id and c.domain_id = k.domain_id
       where k.tenant_id = ${tenantId} and k.asset_id = any(${freeIds}::text[]) and k.status in ('pending', 'deferred')
         and not ${isRepresentative(sql`k`)}
    )
    update candidates k set related_count = fresh.count from fresh
     where k.tenant_id = ${tenantId} and k.candidate_id = fresh.candidate_id and k.related_count <> fresh.count`);
}
