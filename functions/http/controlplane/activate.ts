import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { verifyPresented } from '../../../core/licensing/activate.ts';
import { activated } from '../../../core/licensing/activated.ts';
import { LicenseStatusSchema } from '../../../core/licensing/status.ts';

export const activateLicense = endpoint({
  name: 'controlplane-activate',
  method: 'POST',
  path: '/api/controlplane/activate',
  summary: 'Activate a license with its signed entitlement',
  description:
    'Nothing is sent. 400 says why a token is refused. 409: the token has ended, or a token that was issued later is ' +
    'in force.',
  access: can('license.manage'),
  transaction: 'write',
  // A token that is too large is refused as such by its own check.
  body: z.strictObject({ token: z.string().trim().min(1).max(65_536) }),
  response: LicenseStatusSchema,
  errors: ['conflict'],
  prepare: ({ runtime, principal, body }) => verifyPresented(runtime.config, principal.tenantId, body.token),
  handle: (context) => activated(context, 'token'),
});
