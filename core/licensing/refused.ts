import { ServiceError } from '../kernel/errors.ts';
import type { LicenseRefusal } from './license-state.ts';

const TEXTS: Readonly<Record<LicenseRefusal, string>> = {
  license_expired: 'The license has ended, and its grace window is over.',
  license_unusable: 'The license can no longer be verified.',
  license_deactivated: 'The license was deactivated.',
  scanning_not_included: 'The license does not include scanning.',
  too_many_billable_users: 'More people signed in within 90 days than the license allows.',
  too_many_assets: 'There are more assets than the license allows.',
  too_many_scopes: 'More scopes are selected than the license allows.',
};

/** The answer to a scan that the license does not let start. */
export const licenseRequired = (reason: LicenseRefusal): ServiceError =>
  new ServiceError(
    'license_required',
    `${TEXTS[reason]} No scan can start. See GET /api/controlplane/status.`,
  );
