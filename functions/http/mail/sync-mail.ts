import { can, endpoint } from '../../../core/http/endpoint.ts';
import { syncNow } from '../../../core/messages/sync-now.ts';
import { SYNC_DESCRIPTION, SyncSchema } from '../../../core/messages/sync-schema.ts';

export const syncMail = endpoint({
  name: 'mail-sync',
  method: 'POST',
  path: '/api/mail/sync',
  summary: 'Sync the messages of the selected mailboxes',
  description: SYNC_DESCRIPTION,
  access: can('connector.configure'),
  transaction: 'none',
  response: SyncSchema,
  errors: ['blocked_capability'],
  handle: ({ runtime, principal, correlationId }) =>
    syncNow(
      runtime,
      { tenantId: principal.tenantId, principalId: principal.principalId, correlationId },
      'mail',
    ),
});
