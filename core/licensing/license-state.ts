import { ServiceError } from '../kernel/errors.ts';
import type { Transition } from '../kernel/transition.ts';
import type { Terms } from './terms.ts';

const DAY_MS = 24 * 3_600_000;

export const LICENSE_STATES = ['none', 'active', 'grace', 'expired', 'unusable', 'deactivated'] as const;
export type LicenseState = (typeof LICENSE_STATES)[number];

type LicenseTrigger =
  | 'tenant_created'
  | 'activate'
  | 'renew'
  | 'end_reached'
  | 'grace_over'
  | 'deactivate'
  | 'no_longer_verified'
  | 'verified_again';

/** The states of a license. Only the token, its absence and times are stored; the state is computed. */
export const LICENSE_TRANSITIONS: readonly Transition<LicenseState, LicenseTrigger>[] = [
  { from: null, trigger: 'tenant_created', to: 'none' },
  { from: 'none', trigger: 'activate', to: 'active' },
  { from: 'active', trigger: 'activate', to: 'active' },
  { from: 'grace', trigger: 'activate', to: 'active' },
  { from: 'expired', trigger: 'activate', to: 'active' },
  { from: 'unusable', trigger: 'activate', to: 'active' },
  { from: 'deactivated', trigger: 'activate', to: 'active' },
  { from: 'active', trigger: 'renew', to: 'active' },
  { from: 'grace', trigger: 'renew', to: 'active' },
  { from: 'expired', trigger: 'renew', to: 'active' },
  { from: 'unusable', trigger: 'renew', to: 'active' },
  { from: 'active', trigger: 'end_reached', to: 'grace' },
  { from: 'active', trigger: 'grace_over', to: 'expired' },
  { from: 'grace', trigger: 'grace_over', to: 'expired' },
  { from: 'active', trigger: 'deactivate', to: 'deactivated' },
  { from: 'grace', trigger: 'deactivate', to: 'deactivated' },
  { from: 'expired', trigger: 'deactivate', to: 'deactivated' },
  { from: 'unusable', trigger: 'deactivate', to: 'deactivated' },
  { from: 'active', trigger: 'no_longer_verified', to: 'unusable' },
  { from: 'grace', trigger: 'no_longer_verified', to: 'unusable' },
  { from: 'expired', trigger: 'no_longer_verified', to: 'unusable' },
  { from: 'unusable', trigger: 'verified_again', to: 'active' },
  { from: 'unusable', trigger: 'verified_again', to: 'grace' },
  { from: 'unusable', trigger: 'verified_again', to: 'expired' },
];

/** What is kept of an entitlement: its terms, or why there are none. */
export type Entitled = Terms | 'none' | 'unusable' | 'deactivated';

/** The last time with a year of four digits. An entitlement without an end ends then. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** When the grace window is over, in milliseconds. */
export const graceEndsAt = ({ endsAt, graceDays }: Terms): number =>
  Math.min(endsAt + graceDays * DAY_MS, LAST_TIME);

/** The state at an effective time, in milliseconds. */
export function licenseState(entitled: Entitled, effectiveTime: number): LicenseState {
  if (typeof entitled === 'string') return entitled;
  if (effectiveTime < entitled.endsAt) return 'active';
  return effectiveTime < graceEndsAt(entitled) ? 'grace' : 'expired';
}

/** What the terms bound. `billableUsers`: people who signed in within the trailing 90 days. */
export type Usage = { billableUsers: number; assets: number; scopes: number };

/** Why no scan may start. */
export const SCAN_REFUSALS = [
  'license_expired',
  'license_unusable',
  'license_deactivated',
  'scanning_not_included',
  'too_many_billable_users',
  'too_many_assets',
  'too_many_scopes',
] as const;
export type LicenseRefusal = (typeof SCAN_REFUSALS)[number];

/** Why no scan may start, or null if one may. Without an entitlement, one may. */
export function scanRefusal(entitled: Entitled, effectiveTime: number, usage: Usage): LicenseRefusal | null {
  const state = licenseState(entitled, effectiveTime);
  if (state === 'expired' || state === 'unusable' || state === 'deactivated') return `license_${state}`;
  if (typeof entitled === 'string') return null;
  if (!entitled.features.includes('scanning')) return 'scanning_not_included';
  const isOver = (count: number, most: number | null) => most !== null && count > most;
  if (isOver(usage.billableUsers, entitled.maxBillableUsers)) return 'too_many_billable_users';
  if (isOver(usage.assets, entitled.maxAssets)) return 'too_many_assets';
  if (isOver(usage.scopes, entitled.maxScopes)) return 'too_many_scopes';
  return null;
}

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
