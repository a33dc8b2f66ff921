import { z } from 'zod';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { CHANGE_TYPES, NOTIFICATION_SOURCES, RECORDED_OUTCOMES, SKIP_REASONS } from './notifications.sql.ts';
import { SUBSCRIPTION_STATUSES } from './subscription-states.ts';
import { SUBSCRIPTION_COLUMNS, SUBSCRIPTION_ERRORS, type Subscription } from './subscriptions.sql.ts';

const Timestamp = z.iso.datetime();

/** A subscription as it is shown. The state that proves a notification never is. */
export const SubscriptionSchema = z.object({
  subscriptionId: z.string(),
  sourceSubscriptionId: z
    .string()
    .describe('What the source calls it: notifications name it as their `subscriptionId`'),
  scopeId: z.string(),
  mode: z.enum(['mock', 'live']),
  forced: z.boolean().describe('Made to simulate a notification; it is not renewed'),
  status: z.enum(SUBSCRIPTION_STATUSES),
  lastError: z.enum(SUBSCRIPTION_ERRORS).nullable(),
  createdAt: Timestamp,
  renewedAt: Timestamp.nullable(),
  expiresAt: Timestamp,
});
export type ShownSubscription = z.infer<typeof SubscriptionSchema>;

/** Throws for a subscription that its source has not confirmed yet: there is nothing to show. */
export function shownSubscription(subscription: Subscription): ShownSubscription {
  const {
    subscriptionId,
    externalId,
    scopeId,
    mode,
    forced,
    status,
    lastError,
    createdAt,
    renewedAt,
    expiresAt,
  } = subscription;
  if (status === null || externalId === null || expiresAt === null)
    throw new Error('A subscription without a status is not shown');
  return {
    subscriptionId,
    sourceSubscriptionId: externalId,
    scopeId,
    mode,
    forced,
    status,
    lastError,
    createdAt: createdAt.toISOString(),
    renewedAt: renewedAt?.toISOString() ?? null,
    expiresAt: expiresAt.toISOString(),
  };
}

/** The newest subscriptions that their source has confirmed once, at most `limit`. */
export async function listSubscriptions(tx: Tx, limit: number): Promise<ShownSubscription[]> {
  const rows = await tx.query<Subscription>(sql`
    select ${SUBSCRIPTION_COLUMNS} from change_subscriptions
     where tenant_id = ${tx.tenantId} and status is not null
     order by created_at desc, subscription_id desc limit ${limit}`);
  return rows.map(shownSubscription);
}

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
 * The newest verified notifications, at most `limit`. The lag is reckoned from the campaign each time, so no copy of it
 * can differ from what the campaign says.
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
