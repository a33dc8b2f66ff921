import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { deactivatePrincipal } from '../../../core/people/principals.ts';

export const deactivate = endpoint({
  name: 'admin-deactivate-principal',
  method: 'POST',
  path: '/api/admin/principals/{id}/deactivate',
  summary: 'End the access of a principal',
  description:
    'Their sessions end at once, and their access tokens are refused. Nothing is deleted: governance sees the domains ' +
    'that they own as orphaned.',
  access: can('principal.manage'),
  transaction: 'write',
  params: IdParams,
  response: z.object({ ok: z.literal(true) }),
  errors: ['conflict'],
  handle: async ({ tx, principal, params, audit, now }) => {
    await deactivatePrincipal(tx, { principalId: principal.principalId, audit, now }, params.id);
    return { ok: true as const };
  },
});
