import { can, endpoint } from '../../../core/http/endpoint.ts';
import { CONTAINERS, containerList } from '../../../core/messages/message-views.ts';

export const listChannels = endpoint({
  name: 'chat-list-channels',
  method: 'GET',
  path: '/api/chat/channels',
  summary: 'Channels that are synced, by team and name',
  description:
    'Each with who can read it, what is stored of it, when it was last synced, and when the next sync is due. Those ' +
    'that are no longer selected are left out. `total` counts up to 10,000.',
  access: can('operations.read'),
  transaction: 'read',
  ...CONTAINERS,
  handle: ({ tx, query }) => containerList(tx, 'chat', query),
});
