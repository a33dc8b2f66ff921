import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { LicenseStatusSchema, licenseStatus } from '../../../core/licensing/status.ts';

export const showLicenseStatus = endpoint({
  name: 'controlplane-show-status',
  method: 'GET',
  path: '/api/controlplane/status',
  summary: 'State, terms, usage and renewal of the license',
  description:
    'Without an entitlement the state is `none`, and scans start. Otherwise `reason` says why no scan may start. ' +
    'Reading, audit, review, actions and exports work in every state.',
  access: can('license.read'),
  transaction: 'read',
  query: z.strictObject({}),
  response: LicenseStatusSchema,
  handle: ({ tx, runtime, now }) => licenseStatus(tx, runtime.config, now),
});
