import type { SourceParts } from '../integrations/connector-for.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { type Doorbell, ringOrWarn } from '../work/doorbell.ts';
import type { Notification } from './notification-body.ts';
import type { RecordedOutcome } from './notifications.sql.ts';
import { type Delivery, deltaStarted, type Hint, reconcile } from './reconcile.ts';
import { type Rejection, type Verified, verifyItems, withSubscription } from './verified-item.ts';

/** The parts of the process that receiving uses. */
export type ReceiveParts = SourceParts & {
  log: Logger;
  metrics: Metrics;
  doorbell: Doorbell | null;
};

/** The outcome of one notification. */
export type Outcome = RecordedOutcome | { outcome: Rejection };

/**
 * Processes the notifications of one request: verifies them, acts on the valid ones and counts them all. Returns
 * their outcomes in no particular order. Notifications that fail in the database are logged and left out.
 */
export async function receiveNotifications(
  parts: ReceiveParts,
  notifications: readonly Notification[],
  origin: Pick<Hint, 'source' | 'eventAt'>,
  delivery: Delivery,
): Promise<Outcome[]> {
  const { verified, rejected } = await verifyItems(parts, notifications);
  const outcomes: Outcome[] = rejected.map((outcome) => ({ outcome }));
  for (const { outcome } of outcomes) parts.metrics.count(`change_notification:${outcome}`);
  for (const together of Map.groupBy(verified, (each) => each.subscriptionId).values()) {
    const [first] = together;
    if (first === undefined) continue;
    const hints = together.map(({ item }) => ({ ...origin, changeType: item.changeType }));
    try {
      outcomes.push(...(await receiveHints(parts, first, hints, delivery)));
    } catch (error) {
      // A failure must not affect the notifications of other subscriptions.
      logLost(parts, first, delivery, error);
    }
  }
  return outcomes;
}

/** Processes the hints of one subscription in order and in one transaction. */
export async function receiveHints(
  parts: ReceiveParts,
  verified: Verified,
  hints: readonly Hint[],
  delivery: Delivery,
): Promise<Outcome[]> {
  const recorded = await withSubscription(parts.db, verified, delivery, async (tx, subscription, audit) => {
    const outcomes: Outcome[] = [];
    for (const hint of hints) {
      const one = await reconcile(parts, tx, subscription, hint, delivery);
      if (one.outcome === 'reconcile_enqueued') audit(deltaStarted(one.campaignId, subscription.scopeId));
      outcomes.push(one);
    }
    return outcomes;
  });
  const outcomes: Outcome[] = recorded ?? hints.map(() => ({ outcome: 'rejected:unknown_subscription' }));
  for (const { outcome } of outcomes) parts.metrics.count(`change_notification:${outcome}`);
  for (const { eventAt } of hints) {
    if (eventAt !== null) parts.metrics.observe('notification_receive_lag_ms', delivery.now - eventAt);
  }
  if (outcomes.some(({ outcome }) => outcome === 'reconcile_enqueued')) await ringOrWarn(parts, 1, 0);
  return outcomes;
}

/**
 * Logs a hint that failed in the database. The source has already received its response. The next delta finds the
 * change.
 */
export function logLost(
  { log }: Pick<ReceiveParts, 'log'>,
  { tenantId }: Pick<Verified, 'tenantId'>,
  { correlationId }: Delivery,
  error: unknown,
): void {
  log.warn('hint_lost', { tenantId, correlationId }, error);
}
