import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId, CampaignId, ScopeId } from '../kernel/ids.ts';
import { type AssetInPlace, MARKED_AT_ONCE, toAssetInPlace } from './inventory.sql.ts';

/**
 * `missed m`: a batch of active assets that a listing of the whole scope did not contain, after a place. Assets below a
 * folder that is listed itself, because it could not be read, are not among them.
 */
const missed = (tx: Tx, scopeId: ScopeId, campaignId: CampaignId, batch: Statement): Statement => sql`
    met as materialized (
      select unnest(asset_ids) as asset_id from delta_listings
       where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and campaign_id = ${campaignId}
    ), blind as materialized (
      select a.path || '/' as above from assets a left join met using (asset_id)
       where a.tenant_id = ${tx.tenantId} and a.scope_id = ${scopeId} and a.status = 'active' and a.kind = 'folder'
         and (a.seen_campaign_id = ${campaignId} or met.asset_id is not null)
    ), missed as materialized (
      select a.asset_id, a.source_version from assets a
       where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and status = 'active'
         and seen_campaign_id is distinct from ${campaignId}
         and not exists (select 1 from met where met.asset_id = a.asset_id)
         and not exists (select 1 from blind where starts_with(a.path, blind.above))
       ${batch}
    )`;

/** Active assets that a listing of the whole scope did not contain, after a place (`''` for the beginning); at most `limit`. */
export async function missedAssets(
  tx: Tx,
  scopeId: ScopeId,
  campaignId: CampaignId,
  after: string,
  limit: number,
): Promise<AssetInPlace[]> {
  const batch = sql`and a.asset_id > ${after} order by a.asset_id limit ${limit}`;
  const rows = await tx.query<{ assetId: AssetId; sourceVersion: string; place: string }>(sql`
    with ${missed(tx, scopeId, campaignId, batch)}
    select asset_id as "assetId", source_version as "sourceVersion", asset_id as place from missed order by asset_id`);
  return rows.map(toAssetInPlace);
}

/**
 * Marks a batch of missed assets as deleted. Returns how many assets it processed; fewer than `MARKED_AT_ONCE` means that
 * they were the last.
 */
export async function markMissed(
  tx: Tx,
  scopeId: ScopeId,
  campaignId: CampaignId,
  now: number,
): Promise<number> {
  const [taken] = await tx.query<{ count: number }>(sql`
    with ${missed(tx, scopeId, campaignId, sql`limit ${MARKED_AT_ONCE}`)}, gone as (
      update assets a set status = 'deleted', deleted_at = ${new Date(now)} from missed
       where a.tenant_id = ${tx.tenantId} and a.asset_id = missed.asset_id and a.status = 'active'
      returning 1
    ), lost as (
      select count(*) as n from gone
    ), counted as (
      update scopes set asset_count = asset_count - lost.n
        from lost where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and lost.n > 0
    )
    select count(*) from missed`);
  return taken?.count ?? 0;
}
