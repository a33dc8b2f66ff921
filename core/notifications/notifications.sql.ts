import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { type CampaignId, newId } from '../kernel/ids.ts';

/** The kind of a change. `other` stands for every other word of a source. */
export const CHANGE_TYPES = ['updated', 'created', 'deleted', 'missed', 'other'] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

export const SKIP_REASONS = [
  'scan_already_active',
  'no_delta_cursor',
  'no_scope',
  'license_required',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export const NOTIFICATION_SOURCES = ['live', 'simulated'] as const;
export type NotificationSource = (typeof NOTIFICATION_SOURCES)[number];

export const RECORDED_OUTCOMES = ['reconcile_enqueued', 'reconcile_skipped', 'deduplicated'] as const;

/**
 * The outcome of a verified notification (specification, *Change notification outcomes*). Rejected notifications are
 * not stored.
 */
export type RecordedOutcome =
  | { outcome: 'reconcile_enqueued'; campaignId: CampaignId }
  | { outcome: 'reconcile_skipped'; reason: SkipReason }
  | { outcome: 'deduplicated' };

export type VerifiedNotification = {
  subscriptionId: string;
  changeType: ChangeType;
  source: NotificationSource;
  /** When the change happened, in milliseconds. Null if the source does not report it. */
  eventAt: number | null;
  /** Milliseconds. */
  receivedAt: number;
};

/** Stores a verified notification with its outcome. Call it with the subscription locked. */
export async function recordNotification(
  tx: Tx,
  notification: VerifiedNotification,
  recorded: RecordedOutcome,
): Promise<void> {
  await tx.query(sql`
    insert into change_notifications (tenant_id, notification_id, subscription_id, change_type, outcome, reject_reason,
                                      source, campaign_id, event_at, received_at)
    values (${tx.tenantId}, ${newId('ntf', notification.receivedAt)}, ${notification.subscriptionId}, ${notification.changeType},
            ${recorded.outcome}, ${recorded.outcome === 'reconcile_skipped' ? recorded.reason : null},
            ${notification.source}, ${recorded.outcome === 'reconcile_enqueued' ? recorded.campaignId : null},
            ${notification.eventAt === null ? null : new Date(notification.eventAt)},
            ${new Date(notification.receivedAt)})`);
}

/** When the last hint of this type came that was not deduplicated, in milliseconds, or null. */
export async function lastAccepted(
  tx: Tx,
  subscriptionId: string,
  changeType: ChangeType,
): Promise<number | null> {
  const [row] = await tx.query<{ received_at: Date }>(sql`
    select received_at from change_notifications
     where tenant_id = ${tx.tenantId} and subscription_id = ${subscriptionId} and change_type = ${changeType}
       and outcome <> 'deduplicated'
     order by received_at desc limit 1`);
  return row?.received_at.getTime() ?? null;
}
