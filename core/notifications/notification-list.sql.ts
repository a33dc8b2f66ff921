import { z } from 'zod';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { CHANGE_TYPES, NOTIFICATION_SOURCES, RECORDED_OUTCOMES, SKIP_REASONS } from './notifications.sql.ts';

const Timestamp = z.iso.datetime();

export const NotificationSchema = z.object({
  notificationId: z.string(),
  subscriptionId: z.string(),
  scopeId: z.string(),
  changeType: z.enum(CHANGE_TYPES),
  outcome: z.enum(RECORDED_OUTCOMES),
  rejectReason: z.enum(SKIP_REASONS).nullable().describe('Why no reconcile was started'),
  source: z.enum(NOTIFICATION_SOURCES),
  campaignId: z.string().nullable(),
  receivedAt: Timestamp,
  reconcileLagMs: z
    .int()
    .nullable()
    .describe('From receipt to the end of the reconcile; null until it is completed'),
});
export type ShownNotification = z.infer<typeof NotificationSchema>;

/**
 * The newest verified notifications, at most `limit`. The lag is computed from the campaign each time, so that it
 * cannot differ from the campaign.
 */
export async function listNotifications(tx: Tx, limit: number): Promise<ShownNotification[]> {
  const rows = await tx.query<Omit<ShownNotification, 'receivedAt'> & { receivedAt: Date }>(sql`
    select n.notification_id as "notificationId", n.subscription_id as "subscriptionId", s.scope_id as "scopeId",
           n.change_type as "changeType", n.outcome, n.reject_reason as "rejectReason", n.source,
           n.campaign_id as "campaignId", n.received_at as "receivedAt",
           case when c.status = 'completed'
             then greatest(0, round(extract(epoch from c.finished_at - n.received_at) * 1000))::float8 end as "reconcileLagMs"
      from change_notifications n
      join change_subscriptions s using (tenant_id, subscription_id)
      left join campaigns c on c.tenant_id = n.tenant_id and c.campaign_id = n.campaign_id
     where n.tenant_id = ${tx.tenantId}
     order by n.received_at desc, n.notification_id desc limit ${limit}`);
  return rows.map((row) => ({ ...row, receivedAt: row.receivedAt.toISOString() }));
}
