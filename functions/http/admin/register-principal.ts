import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { InvitationSchema, RegistrationSchema, registerPrincipal } from '../../../core/people/principals.ts';

export const registerNewPrincipal = endpoint({
  name: 'admin-register-principal',
  method: 'POST',
  path: '/api/admin/principals',
  summary: 'Register a person or an application',
  description:
    'A person who has not signed in yet: by the subject of their tokens, or with an invitation. Hand over the code of ' +
    'the invitation yourself: the address `/api/auth/idp/login?code=CODE` binds the first person who signs in there, within 72 ' +
    'hours. The code is shown once. An application that calls the API is of the kind `service`.',
  access: can('principal.manage'),
  transaction: 'write',
  carriesSecret: true,
  body: RegistrationSchema,
  response: z.object({ principalId: z.string(), invitation: InvitationSchema.nullable() }),
  errors: ['conflict'],
  handle: ({ tx, principal, body, audit, now }) =>
    registerPrincipal(tx, { principalId: principal.principalId, audit, now }, body),
});
