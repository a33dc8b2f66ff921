import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { listSubscriptions, SubscriptionSchema } from '../../../core/notifications/subscription-list.sql.ts';

const LIMIT = 200;

export const listAllSubscriptions = endpoint({
  name: 'notifications-list-subscriptions',
  method: 'GET',
  path: '/api/admin/notifications/subscriptions',
  summary: 'Subscriptions to changes of scopes, the newest first',
  access: can('operations.read'),
  transaction: 'read',
  response: listOf(SubscriptionSchema),
  handle: async ({ tx }) => bounded(await listSubscriptions(tx, LIMIT + 1), LIMIT),
});
