import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/**
 * For each notification that started one of these campaigns: milliseconds from its receipt to the end of the
 * campaign.
 */
export async function reconcileLags(tx: Tx, campaignIds: readonly string[]): Promise<number[]> {
  const rows = await tx.query<{ receivedAt: Date; finishedAt: Date }>(sql`
    select n.received_at as "receivedAt", c.finished_at as "finishedAt"
      from change_notifications n join campaigns c using (tenant_id, campaign_id)
     where n.tenant_id = ${tx.tenantId} and n.campaign_id = any(${campaignIds}::text[])
       and c.finished_at is not null`);
  return rows.map((row) => row.finishedAt.getTime() - row.receivedAt.getTime());
}
