import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { RoleChangeSchema, setRoles } from '../../../core/people/principals.ts';

export const setPrincipalRoles = endpoint({
  name: 'admin-set-roles',
  method: 'PUT',
  path: '/api/admin/principals/{id}/roles',
  summary: 'Set the roles that a principal is granted',
  description:
    'They count from the next request of the principal. Roles that the identity provider claims are not changed. Nobody ' +
    'changes their own roles, and a tenant keeps at least one active platform administrator.',
  access: can('principal.manage'),
  transaction: 'write',
  params: IdParams,
  body: RoleChangeSchema,
  response: z.object({ ok: z.literal(true) }),
  errors: ['conflict'],
  handle: async ({ tx, principal, params, body, audit, now }) => {
    await setRoles(tx, { principalId: principal.principalId, audit, now }, params.id, body.roles);
    return { ok: true as const };
  },
});
