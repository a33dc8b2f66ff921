import { can, endpoint } from '../../../core/http/endpoint.ts';
import { MESSAGE_FINDINGS, messageFindingList } from '../../../core/messages/message-views.ts';

export const listChatFindings = endpoint({
  name: 'chat-list-findings',
  method: 'GET',
  path: '/api/chat/findings',
  summary: 'Findings in channels, the most severe first',
  description: 'They are for operators, since no domain owns a message. `total` counts up to 10,000.',
  access: can('operations.read'),
  transaction: 'read',
  ...MESSAGE_FINDINGS,
  handle: ({ tx, query }) => messageFindingList(tx, 'chat', query),
});
