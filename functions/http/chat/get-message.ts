import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { MessageDetailSchema } from '../../../core/messages/message-schema.ts';
import { messageDetail } from '../../../core/messages/shown-messages.ts';

export const getChatMessage = endpoint({
  name: 'chat-get-message',
  method: 'GET',
  path: '/api/chat/messages/{id}',
  summary: 'One message with its thread and its findings',
  description: 'At most 100 other messages of the thread. Reading previews is audited.',
  access: can('operations.read'),
  transaction: 'read',
  params: IdParams,
  response: MessageDetailSchema,
  handle: ({ tx, principal, audit, params }) => messageDetail(tx, { principal, audit }, 'chat', params.id),
});
