import { can, endpoint } from '../../../core/http/endpoint.ts';
import { CONTAINERS, containerList } from '../../../core/messages/message-views.ts';

export const listMailboxes = endpoint({
  name: 'mail-list-mailboxes',
  method: 'GET',
  path: '/api/mail/mailboxes',
  summary: 'Mailboxes that are synced, by address',
  description:
    'Each with who can read it, what is stored of it, when it was last synced, and when the next sync is due. Those ' +
    'that are no longer selected are left out. `total` counts up to 10,000.',
  access: can('operations.read'),
  transaction: 'read',
  ...CONTAINERS,
  handle: ({ tx, query }) => containerList(tx, 'mail', query),
});
