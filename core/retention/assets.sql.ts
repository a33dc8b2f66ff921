import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { LetGo } from './removed.sql.ts';

/**
 * Deletes what was derived from removed assets. Should one come back, the scan that lists it reads it as if it were new:
 * no stage has run. Assets that a scan has locked are left to the next sweep.
 */
export async function emptyAssets(
  tx: Tx,
  ids: readonly string[],
  rest: Statement,
  now: number,
): Promise<LetGo> {
  const locked = await tx.query<{ id: string }>(sql`
    select k.asset_id as id from assets k
     where k.tenant_id = ${tx.tenantId} and k.asset_id = any(${ids}::text[]) and ${rest}
       for no key update skip locked`);
  const going = locked.map(({ id }) => id);
  if (going.length === 0) return { removed: {}, finished: true };
  const ofThem = sql`tenant_id = ${tx.tenantId} and asset_id = any(${going}::text[])`;
  // The bands of an asset are found by its signature, so they go first.
  await tx.execute(sql`
    delete from sketch_bands b using (
      select asset_id, unnest(bands) as band from asset_sketches where ${ofThem}) s
     where b.tenant_id = ${tx.tenantId} and b.band = s.band and b.asset_id = s.asset_id`);
  await Promise.all([
    tx.execute(sql`delete from asset_sketches where ${ofThem}`),
    tx.execute(sql`delete from asset_contents where ${ofThem}`),
    tx.execute(sql`delete from asset_vectors where ${ofThem}`),
    tx.execute(sql`delete from asset_suppressions where ${ofThem}`),
    tx.execute(sql`delete from asset_scorings where ${ofThem}`),
    tx.execute(sql`delete from asset_features where ${ofThem}`),
    tx.execute(sql`update asset_search set words = '', marks = '{}' where ${ofThem} and not active`),
    tx.execute(sql`
      update assets
         set emptied_at = ${new Date(now)}, stage_keys = '{}', content_hash = null, grants = '[]',
             permissions_complete = false, source_url = null, modified_by = null, source_facts = null
       where ${ofThem}`),
  ]);
  return { removed: { removed_assets: going.length }, finished: true };
}
