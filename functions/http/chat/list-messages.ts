import { can, endpoint } from '../../../core/http/endpoint.ts';
import { MESSAGES, messageList } from '../../../core/messages/message-views.ts';

export const listChatMessages = endpoint({
  name: 'chat-list-messages',
  method: 'GET',
  path: '/api/chat/messages',
  summary: 'Messages of channels, the newest first',
  description:
    'Each with a preview, what detectors found, and its attachments. Of the text nothing else is kept. Reading previews ' +
    'is audited. `total` counts up to 10,000.',
  access: can('operations.read'),
  transaction: 'read',
  ...MESSAGES,
  handle: ({ tx, principal, audit, query }) => messageList(tx, { principal, audit }, 'chat', query),
});
