import { webhook } from '../../core/http/webhook.ts';
import { receiveLifecycle } from '../../core/notifications/lifecycle.ts';
import { LifecycleBody } from '../../core/notifications/notification-body.ts';

export const graphLifecycle = webhook({
  name: 'webhooks-graph-lifecycle',
  path: '/api/webhooks/graph/lifecycle',
  summary: 'Receive lifecycle notifications of Microsoft 365',
  description: '`missed` forces a delta scan.',
  body: LifecycleBody,
  receive: receiveLifecycle,
});
