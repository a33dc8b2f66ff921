import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { activationAddress, obtainEntitlement, orServiceError } from '../../../core/licensing/activate.ts';
import { activated } from '../../../core/licensing/activated.ts';
import { LicenseStatusSchema } from '../../../core/licensing/status.ts';

export const activateLicenseOnline = endpoint({
  name: 'controlplane-activate-online',
  method: 'POST',
  path: '/api/controlplane/activate-online',
  summary: 'Activate a license with a one-time code',
  description:
    'Sends the code, the tenant id, a random challenge and the versions to SVC_LICENSE_SERVICE_URL, and nowhere else. ' +
    '400: the code is unknown or used. 422: no service is configured, or it gave no usable entitlement.',
  access: can('license.manage'),
  transaction: 'write',
  body: z.strictObject({ code: z.string().trim().min(8).max(128) }),
  response: LicenseStatusSchema,
  errors: ['conflict', 'blocked_capability'],
  prepare: ({ runtime, principal, body }) =>
    orServiceError(obtainEntitlement(runtime, activationAddress(runtime.config), principal.tenantId, body)),
  handle: (context) => activated(context, 'online'),
});
