import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { InvitationSchema, invitePrincipal } from '../../../core/people/principals.ts';

export const invitePerson = endpoint({
  name: 'admin-invite-principal',
  method: 'POST',
  path: '/api/admin/principals/{id}/invitation',
  summary: 'Make a new invitation for a person',
  description: 'Earlier invitations of the person end. The code is shown once and holds for 72 hours.',
  access: can('principal.manage'),
  transaction: 'write',
  carriesSecret: true,
  params: IdParams,
  response: InvitationSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, params, audit, now }) =>
    invitePrincipal(tx, { principalId: principal.principalId, audit, now }, params.id),
});
