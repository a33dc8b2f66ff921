import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { reactivatePrincipal } from '../../../core/people/principals.ts';

export const reactivate = endpoint({
  name: 'admin-reactivate-principal',
  method: 'POST',
  path: '/api/admin/principals/{id}/reactivate',
  summary: 'Give a deactivated principal access again',
  description: 'With the roles and domains that they had. They sign in again.',
  access: can('principal.manage'),
  transaction: 'write',
  params: IdParams,
  response: z.object({ ok: z.literal(true) }),
  handle: async ({ tx, principal, params, audit, now }) => {
    await reactivatePrincipal(tx, { principalId: principal.principalId, audit, now }, params.id);
    return { ok: true as const };
  },
});
