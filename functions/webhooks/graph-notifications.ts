import { webhook } from '../../core/http/webhook.ts';
import { NotificationBody } from '../../core/notifications/notification-body.ts';
import { receiveNotifications } from '../../core/notifications/receive.ts';

export const graphNotifications = webhook({
  name: 'webhooks-graph-notifications',
  path: '/api/webhooks/graph/notifications',
  summary: 'Receive change notifications of Microsoft 365',
  description: 'Each is a hint, which starts a delta scan at most.',
  body: NotificationBody,
  receive: async (runtime, notifications, delivery) => {
    await receiveNotifications(runtime, notifications, { source: 'live', eventAt: null }, delivery);
  },
});
