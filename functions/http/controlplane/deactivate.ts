import { can, endpoint } from '../../../core/http/endpoint.ts';
import { deactivateLicense } from '../../../core/licensing/activate.ts';
import { LicenseStatusSchema, licenseStatus } from '../../../core/licensing/status.ts';

export const deactivateLicenseEndpoint = endpoint({
  name: 'controlplane-deactivate',
  method: 'POST',
  path: '/api/controlplane/deactivate',
  summary: 'Deactivate the license',
  description:
    'Removes the entitlement, for example to use it elsewhere. Nothing is sent. From then on no scan starts until an ' +
    'entitlement is activated.',
  access: can('license.manage'),
  transaction: 'write',
  response: LicenseStatusSchema,
  errors: ['conflict'],
  handle: async ({ runtime, tx, principal: { tenantId }, audit, now, correlationId, afterCommit }) => {
    audit(await deactivateLicense(tx, now));
    afterCommit(async () => runtime.log.info('license_deactivated', { tenantId, correlationId }));
    return licenseStatus(tx, runtime.config, now);
  },
});
