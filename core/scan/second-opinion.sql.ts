import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { CampaignId } from '../kernel/ids.ts';

/** Whether a campaign has asked for fewer than `most` second opinions. */
export async function mayAskMore(tx: Tx, campaignId: CampaignId, most: number): Promise<boolean> {
  const rows = await tx.query(sql`
    select from campaigns
     where tenant_id = ${tx.tenantId} and campaign_id = ${campaignId} and second_opinions < ${most}`);
  return rows.length > 0;
}

/** Counts one more second opinion of a campaign. False, and nothing is counted, if it has asked for `most`. */
export async function countAsked(tx: Tx, campaignId: CampaignId, most: number): Promise<boolean> {
  const counted = await tx.execute(sql`
    update campaigns set second_opinions = second_opinions + 1
     where tenant_id = ${tx.tenantId} and campaign_id = ${campaignId} and second_opinions < ${most}`);
  return counted > 0;
}
