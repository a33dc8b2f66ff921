import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Comparable } from './comparable.ts';

/**
 * Replaces the stored sketches, bands and contained files of an asset. A second call changes nothing. The caller has
 * locked the row of the asset.
 */
export async function storeComparable(
  tx: Tx,
  assetId: string,
  { sketches: { shingles, template }, contains }: Comparable,
): Promise<void> {
  const { tenantId } = tx;
  const bands = [...new Set([...(shingles?.bands ?? []), ...(template?.bands ?? [])])];
  await tx.execute(sql`
    with former as (
      select bands from asset_sketches where tenant_id = ${tenantId} and asset_id = ${assetId}
    ), gone as (
      delete from sketch_bands
       where tenant_id = ${tenantId} and asset_id = ${assetId} and band = any((select bands from former)::integer[])
         and band <> all(${bands}::integer[])
    ), come as (
      insert into sketch_bands (tenant_id, band, asset_id, decided)
      select ${tenantId}, band, ${assetId}, decided
        from unnest(${bands}::integer[]) as each (band),
             (select exists (select 1 from candidates where tenant_id = ${tenantId} and asset_id = ${assetId}
                                and status in ('confirmed', 'rejected'))) as said (decided)
      on conflict do nothing
    )
    insert into asset_sketches (tenant_id, asset_id, shingles, template, bands)
    values (${tenantId}, ${assetId}, ${shingles?.signature ?? null}, ${template?.signature ?? null}, ${bands}::integer[])
    on conflict (tenant_id, asset_id) do update set
      shingles = excluded.shingles, template = excluded.template, bands = excluded.bands`);
  await tx.execute(sql`
    with held as (select distinct decode(hash, 'hex') as hash from unnest(${contains}::text[]) as each (hash)),
    gone as (
      delete from asset_contents
       where tenant_id = ${tenantId} and asset_id = ${assetId} and content_hash not in (select hash from held)
    )
    insert into asset_contents (tenant_id, asset_id, content_hash)
    select ${tenantId}, ${assetId}, hash from held
    on conflict do nothing`);
}

/** Marks an asset as decided by an owner, so that copies and similar assets find the decision. */
export async function markDecided(tx: Tx, assetId: string): Promise<void> {
  await tx.execute(sql`
    update assets set decided = true where tenant_id = ${tx.tenantId} and asset_id = ${assetId} and not decided`);
  await tx.execute(sql`
    update sketch_bands b set decided = true
      from asset_sketches s
     where s.tenant_id = ${tx.tenantId} and s.asset_id = ${assetId}
       and b.tenant_id = s.tenant_id and b.band = any(s.bands) and b.asset_id = s.asset_id and not b.decided`);
}
