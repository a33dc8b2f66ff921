import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { listNotifications, NotificationSchema } from '../../../core/notifications/notification-list.sql.ts';

const LIMIT = 100;

export const listRecent = endpoint({
  name: 'notifications-list-recent',
  method: 'GET',
  path: '/api/admin/notifications/recent',
  summary: 'Verified change notifications, the newest first',
  description: 'Notifications that are still kept, and what they led to.',
  access: can('operations.read'),
  transaction: 'read',
  response: listOf(NotificationSchema),
  handle: async ({ tx }) => bounded(await listNotifications(tx, LIMIT + 1), LIMIT),
});
