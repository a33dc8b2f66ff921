import { can, endpoint } from '../../../core/http/endpoint.ts';
import { syncNow } from '../../../core/messages/sync-now.ts';
import { SYNC_DESCRIPTION, SyncSchema } from '../../../core/messages/sync-schema.ts';

export const syncChat = endpoint({
  name: 'chat-sync',
  method: 'POST',
  path: '/api/chat/sync',
  summary: 'Sync the messages of the selected channels',
  description: SYNC_DESCRIPTION,
  access: can('connector.configure'),
  transaction: 'none',
  response: SyncSchema,
  errors: ['blocked_capability'],
  handle: ({ runtime, principal, correlationId }) =>
    syncNow(
      runtime,
      { tenantId: principal.tenantId, principalId: principal.principalId, correlationId },
      'chat',
    ),
});
