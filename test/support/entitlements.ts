import type { SignedTerms } from '../../core/licensing/terms.ts';
import { signEntitlement, signerOfSecret } from '../../infra/vendor/signer.ts';
import { DEV } from './seed.ts';

/** Of tests only. */
export const LICENSE_SECRET = 'canary-secret-of-development-entitlements';
export const DAY_MS = 24 * 3_600_000;

/** Settings with which a service accepts entitlements of tests. */
export const LICENSED = {
  SVC_LICENSE_SECRET_REF: 'TEST_LICENSE_SECRET',
  TEST_LICENSE_SECRET: LICENSE_SECRET,
};

export const SIGNER = signerOfSecret(LICENSE_SECRET);

let issued = 0;

/** Terms of a year for the development tenant. @param now milliseconds */
export const terms = (now: number, changes: Partial<SignedTerms> = {}): SignedTerms => ({
  entitlementVersion: 2,
  entitlementId: `ent_test_${++issued}`,
  tenantId: DEV,
  edition: 'standard',
  issuedAt: new Date(now).toISOString(),
  endsAt: new Date(now + 365 * DAY_MS).toISOString(),
  graceDays: 14,
  features: ['scanning'],
  ...changes,
});

/** A signed entitlement of tests. */
export const entitlement = (now: number, changes: Partial<SignedTerms> = {}): Promise<string> =>
  signEntitlement(terms(now, changes), SIGNER);
