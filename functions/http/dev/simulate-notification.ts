import { z } from 'zod';
import { endpoint, session } from '../../../core/http/endpoint.ts';
import { SKIP_REASONS } from '../../../core/notifications/notifications.sql.ts';
import { simulateNotification } from '../../../core/notifications/simulate.ts';
import { NOTIFICATION_OUTCOMES } from '../../../core/observability/vocabulary.ts';

export const simulateNotificationEndpoint = endpoint({
  name: 'dev-simulate-notification',
  method: 'POST',
  path: '/api/dev/notifications/simulate',
  summary: 'Simulate a change notification of a scope',
  description: 'Sends the notification as the source of the scope would send it.',
  // The specification names no capability here, only "dev only". The endpoint writes nothing but a subscription of
  // its own.
  access: session,
  devOnly: true,
  transaction: 'none',
  body: z.strictObject({ scopeId: z.string().min(1).max(64) }),
  response: z.object({
    subscriptionId: z.string(),
    outcome: z.enum(NOTIFICATION_OUTCOMES),
    rejectReason: z.enum(SKIP_REASONS).nullable(),
    campaignId: z.string().nullable(),
  }),
  errors: ['not_found', 'conflict', 'blocked_capability'],
  handle: async ({ runtime, principal, body, correlationId, now }) => {
    const became = await simulateNotification(runtime, principal.tenantId, body.scopeId, {
      correlationId,
      now,
    });
    return {
      subscriptionId: became.subscriptionId,
      outcome: became.outcome,
      rejectReason: became.outcome === 'reconcile_skipped' ? became.reason : null,
      campaignId: became.outcome === 'reconcile_enqueued' ? became.campaignId : null,
    };
  },
});
