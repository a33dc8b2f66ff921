import type { Config } from '../config/config.ts';
import type { Tx } from '../db/tx.ts';
import { type KeptClock, observeClock } from './effective-time.ts';
import {
  type EntitlementRefusal,
  EntitlementRefused,
  trustedKeys,
  verifyEntitlementOf,
} from './entitlement.ts';
import {
  type Entitled,
  type LicenseRefusal,
  type LicenseState,
  licenseState,
  scanRefusal,
  type Usage,
} from './license-state.ts';
import { findLicense, type KeptLicense } from './licenses.sql.ts';
import { auditTimes, readUsage } from './usage.sql.ts';

export type LicenseParts = { config: Config };

export type License = {
  kept: KeptLicense | null;
  entitled: Entitled;
  /** Why the kept token no longer verifies. */
  unusableBecause: EntitlementRefusal | null;
  /** Null where no license was ever activated. The mark is the effective time. */
  clock: KeptClock | null;
  /** The time that the terms are compared with: the mark, or the system clock where none is kept. In milliseconds. */
  effectiveTime: number;
  usage: Usage;
  state: LicenseState;
  /** Why no scan may start, or null. */
  refusal: LicenseRefusal | null;
};

/** The license of the tenant at a time of the system clock. Changes nothing. */
export async function currentLicense(tx: Tx, { config }: LicenseParts, now: number): Promise<License> {
  const kept = await findLicense(tx);
  const { entitled, unusableBecause } = await entitledBy(tx, config, kept);
  const clock = kept === null ? null : await observed(tx, kept, now);
  const effectiveTime = clock?.mark ?? now;
  // The system clock writes the times of sign-ins, also where it was set back.
  const usage = await readUsage(tx, Math.min(effectiveTime, now));
  return {
    kept,
    entitled,
    unusableBecause,
    clock,
    effectiveTime,
    usage,
    state: licenseState(entitled, effectiveTime),
    refusal: scanRefusal(entitled, effectiveTime, usage),
  };
}

/** Why no scan of the tenant may start, or null. */
export async function refusedByLicense(
  tx: Tx,
  parts: LicenseParts,
  now: number,
): Promise<LicenseRefusal | null> {
  return (await findLicense(tx)) === null ? null : (await currentLicense(tx, parts, now)).refusal;
}

const observed = async (tx: Tx, { clock, issuedAt }: KeptLicense, now: number): Promise<KeptClock> =>
  observeClock(clock, { system: now, ...(await auditTimes(tx)), issuedAt }).clock;

/** What the kept token entitles to. It is verified each time, so a changed row entitles to nothing. */
export async function entitledBy(
  tx: Tx,
  config: Config,
  kept: KeptLicense | null,
): Promise<{ entitled: Entitled; unusableBecause: EntitlementRefusal | null }> {
  if (kept === null) return { entitled: 'none', unusableBecause: null };
  if (kept.entitlement === null) return { entitled: 'deactivated', unusableBecause: null };
  try {
    const terms = await verifyEntitlementOf(tx.tenantId, kept.entitlement, trustedKeys(config));
    return { entitled: terms, unusableBecause: null };
  } catch (error) {
    if (!(error instanceof EntitlementRefused)) throw error;
    return { entitled: 'unusable', unusableBecause: error.reason };
  }
}
