import { withTx } from '../../db/tx.ts';
import { currentLicense } from '../../licensing/license.ts';
import type { LicenseRefusal } from '../../licensing/license-state.ts';
import { licensedTenants } from '../../licensing/licenses.sql.ts';
import { type Check, counted, fail, type Outcome, pass, warn } from './check.ts';

const WARN_MS = 30 * 24 * 60 * 60 * 1000;

/** What decides on the scans of a tenant with a license. */
type Licensed = { refusal: LicenseRefusal | null; remainingMs: number | null };

export const LICENSE_CHECKS: readonly Check[] = [
  {
    id: 'license.state',
    proves: 'The license of each tenant lets scans start, and does not end within 30 days.',
    needs: ['database.schema'],
    run: async ({ config, db }, signal) => {
      const licensed: Licensed[] = [];
      for (const tenantId of await licensedTenants(db, signal))
        licensed.push(
          await withTx(db, { tenantId, mode: 'read', signal }, async (tx) => {
            const { refusal, entitled, clock } = await currentLicense(tx, { config }, Date.now());
            const ends = typeof entitled === 'string' ? null : entitled.endsAt;
            return { refusal, remainingMs: ends === null || clock === null ? null : ends - clock.mark };
          }),
        );
      return judgeLicenses(licensed);
    },
  },
];

function judgeLicenses(licensed: readonly Licensed[]): Outcome {
  const refused = licensed.flatMap(({ refusal }) => refusal ?? []);
  if (refused.length > 0)
    return fail(
      `No scan starts for ${counted(refused.length, 'tenant')}: ${[...new Set(refused)].join(', ')}.`,
      'Activate another entitlement, or ask for other terms (docs/licensing.md). All else works on.',
    );
  const ending = licensed.filter(({ remainingMs }) => remainingMs !== null && remainingMs < WARN_MS);
  if (ending.length > 0)
    return warn(
      `The license of ${counted(ending.length, 'tenant')} ends within 30 days, or has ended and is in its grace window.`,
      'Renew it: GET /api/controlplane/status tells when it ends and why a renewal failed.',
    );
  if (licensed.length === 0) return pass('No license was activated: scans start.');
  return pass(`The license of ${counted(licensed.length, 'tenant')} lets scans start.`);
}
