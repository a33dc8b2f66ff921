import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId, CampaignId, ScopeId } from '../kernel/ids.ts';

/**
 * Records the assets that one page of a delta by comparison found unchanged. A page that is recorded already stays as it
 * was. `forgetUnchanged` deletes the record.
 * @returns false, with nothing recorded, if the page before it is not recorded. The first page has none before it, and
 * deletes what an earlier campaign has left
 */
export async function recordUnchanged(
  tx: Tx,
  scopeId: ScopeId,
  campaignId: CampaignId,
  { page, isFirst }: { page: number; isFirst: boolean },
  assetIds: readonly AssetId[],
): Promise<boolean> {
  const ofScope = sql`tenant_id = ${tx.tenantId} and scope_id = ${scopeId}`;
  if (isFirst)
    await tx.query(sql`delete from delta_listings where ${ofScope} and campaign_id <> ${campaignId}`);
  const [row] = await tx.query<{ follows: boolean }>(sql`
    with before as materialized (
      select ${isFirst} or exists (
        select from delta_listings where ${ofScope} and campaign_id = ${campaignId} and page = ${page - 1}) as follows
    ), recorded as (
      insert into delta_listings (tenant_id, scope_id, campaign_id, page, asset_ids)
      select ${tx.tenantId}, ${scopeId}, ${campaignId}, ${page}, ${assetIds}::text[] from before where follows
      on conflict do nothing
    )
    select follows from before`);
  return row?.follows === true;
}

export async function forgetUnchanged(tx: Tx, scopeId: ScopeId): Promise<void> {
  await tx.query(sql`delete from delta_listings where tenant_id = ${tx.tenantId} and scope_id = ${scopeId}`);
}
