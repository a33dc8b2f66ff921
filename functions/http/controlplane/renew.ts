import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { activationAddress } from '../../../core/licensing/activate.ts';
import { logRenewal, obtainRenewalNow, settleRenewal } from '../../../core/licensing/renew.ts';
import { RENEWAL_FAILURES } from '../../../core/licensing/renewal-failures.ts';
import { LicenseStatusSchema, licenseStatus } from '../../../core/licensing/status.ts';

export const renewLicense = endpoint({
  name: 'controlplane-renew',
  method: 'POST',
  path: '/api/controlplane/renew',
  summary: 'Renew the license at the activation service now',
  description:
    'A timer renews licenses before they end; this does not wait for it. The answer is 200 also if the renewal ' +
    'failed. `failure` then says why, and the license stays as it is.',
  access: can('license.manage'),
  transaction: 'write',
  response: z.object({
    renewed: z.boolean(),
    failure: z.enum(RENEWAL_FAILURES).nullable(),
    license: LicenseStatusSchema,
  }),
  errors: ['conflict', 'blocked_capability'],
  prepare: ({ runtime, principal }) =>
    obtainRenewalNow(runtime, activationAddress(runtime.config), principal.tenantId),
  handle: async ({
    runtime,
    tx,
    principal: { tenantId },
    prepared,
    audit,
    now,
    correlationId,
    afterCommit,
  }) => {
    const failure = await settleRenewal(tx, prepared, now, audit);
    afterCommit(async () => logRenewal(runtime.log, failure, { tenantId, correlationId }));
    return { renewed: failure === null, failure, license: await licenseStatus(tx, runtime.config, now) };
  },
});
