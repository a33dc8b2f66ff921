import type { LifecycleNotification } from './notification-body.ts';
import { logLost, type ReceiveParts, receiveHints } from './receive.ts';
import type { Delivery } from './reconcile.ts';
import { moveSubscription } from './subscriptions.sql.ts';
import { type Verified, verifyItems, withSubscription } from './verified-item.ts';

/**
 * Processes the lifecycle events of one request (specification, *Events*). Events with a missing or wrong
 * `clientState` are dropped without a log line or a count.
 */
export async function receiveLifecycle(
  parts: ReceiveParts,
  notifications: readonly LifecycleNotification[],
  delivery: Delivery,
): Promise<void> {
  const { verified } = await verifyItems(parts, notifications);
  for (const each of verified) {
    try {
      await apply(parts, each, delivery);
      parts.metrics.count(`change_lifecycle:${each.item.lifecycleEvent}`);
    } catch (error) {
      logLost(parts, each, delivery, error);
    }
  }
}

async function apply(
  parts: ReceiveParts,
  verified: Verified<LifecycleNotification>,
  delivery: Delivery,
): Promise<void> {
  const event = verified.item.lifecycleEvent;
  if (event === 'missed') {
    await receiveHints(parts, verified, [{ changeType: 'missed', source: 'live', eventAt: null }], delivery);
    return;
  }
  await withSubscription(parts.db, verified, delivery, async (tx, subscription, audit) => {
    const next = await moveSubscription(tx, subscription, event);
    if (next === null) return;
    audit({
      category: 'config',
      type: `subscription_${next}`,
      target: { kind: 'subscription', id: subscription.subscriptionId },
    });
  });
}
