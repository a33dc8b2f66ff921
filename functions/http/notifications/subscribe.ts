import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import {
  completeSubscription,
  registerSubscription,
  subscriptionCreated,
} from '../../../core/notifications/subscribe.ts';
import { SubscriptionSchema, shownSubscription } from '../../../core/notifications/subscription-list.sql.ts';

export const subscribe = endpoint({
  name: 'notifications-subscribe',
  method: 'POST',
  path: '/api/admin/notifications/subscribe',
  summary: 'Subscribe to changes of a scope',
  description:
    'Returns an existing subscription. One that was removed, has expired or is in error is registered again.',
  access: can('connector.configure'),
  transaction: 'write',
  body: z.strictObject({ scopeId: z.string().min(1).max(64) }),
  response: SubscriptionSchema,
  errors: ['not_found', 'conflict', 'blocked_capability'],
  prepare: ({ runtime, principal, body }) => registerSubscription(runtime, principal.tenantId, body.scopeId),
  handle: async ({ runtime, tx, prepared, audit, afterCommit }) => {
    const { subscription, created } = await completeSubscription(tx, prepared);
    if (created) {
      audit(subscriptionCreated(subscription));
      afterCommit(async () => runtime.metrics.count(`change_subscription_created:${subscription.mode}`));
    }
    return shownSubscription(subscription);
  },
});
