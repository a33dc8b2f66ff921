import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { PRODUCT_VERSION } from '../controlplane/product-version.ts';
import type { Tx } from '../db/tx.ts';
import { isFresh } from './challenge.ts';
import { ClockStateSchema, clockState } from './effective-time.ts';
import { ENTITLEMENT_REFUSALS } from './entitlement.ts';
import { currentLicense } from './license.ts';
import { graceEndsAt, LICENSE_STATES, SCAN_REFUSALS } from './license-state.ts';
import { RENEWAL_FAILURES } from './renewal-failures.ts';
import { renewFrom } from './renewal-schedule.ts';
import { ENTITLEMENT_VERSION } from './terms.ts';

const Timestamp = z.iso.datetime();
const Count = z.int().nonnegative();

export const LicenseStatusSchema = z.object({
  tenantId: z.string().describe('The tenant that entitlements must be for'),
  productVersion: z.string(),
  entitlementVersion: z.int(),
  state: z.enum(LICENSE_STATES),
  scansMayStart: z.boolean(),
  reason: z.enum(SCAN_REFUSALS).nullable().describe('Why no scan may start'),
  unusableBecause: z.enum(ENTITLEMENT_REFUSALS).nullable().describe('Why the kept token is not verified'),
  entitlement: z
    .object({
      entitlementId: z.string(),
      edition: z.string(),
      features: z.array(z.string()),
      issuedAt: Timestamp,
      endsAt: Timestamp,
      graceEndsAt: Timestamp,
      maxBillableUsers: Count.nullable(),
      maxAssets: Count.nullable(),
      maxScopes: Count.nullable(),
      telemetry: z.boolean().describe('Whether the terms ask for fleet-health telemetry'),
      activatedAt: Timestamp,
      renewedAt: Timestamp.nullable(),
    })
    .nullable()
    .describe('Null without a usable entitlement'),
  usage: z.object({
    billableUsers: Count.describe('People who signed in within the trailing 90 days'),
    assets: Count,
    scopes: Count,
  }),
  clock: z.object({
    effectiveTime: Timestamp.describe('The time that the terms are compared with'),
    state: ClockStateSchema.describe(
      '`behind`: the system clock was set back. `ahead`: it is further ahead than is believed at once',
    ),
  }),
  renewal: z.object({
    online: z.boolean().describe('Whether an activation service is configured'),
    from: Timestamp.nullable().describe('When a renewal is first asked for'),
    lastAttemptAt: Timestamp.nullable(),
    failures: Count.describe('Since the last renewal that succeeded'),
    failure: z.enum(RENEWAL_FAILURES).nullable(),
  }),
  skippedDeltas: z
    .object({ count: Count, lastAt: Timestamp.nullable() })
    .describe('Scheduled and hinted deltas that the license did not let start'),
  challenge: z
    .string()
    .nullable()
    .describe(
      'What an offline entitlement repeats to put the effective time right; null while there is none',
    ),
});
export type LicenseStatus = z.input<typeof LicenseStatusSchema>;

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
const isoOrNull = (milliseconds: number | null | undefined) =>
  milliseconds == null ? null : iso(milliseconds);

/** The tenant's license as people see it. It holds nothing of the token but its terms. */
export async function licenseStatus(tx: Tx, config: Config, now: number): Promise<LicenseStatus> {
  const { kept, entitled, unusableBecause, clock, effectiveTime, usage, state, refusal } =
    await currentLicense(tx, { config }, now);
  const terms = typeof entitled === 'string' ? null : entitled;
  return {
    tenantId: tx.tenantId,
    productVersion: PRODUCT_VERSION,
    entitlementVersion: ENTITLEMENT_VERSION,
    state,
    scansMayStart: refusal === null,
    reason: refusal,
    unusableBecause,
    entitlement:
      terms === null || kept === null
        ? null
        : {
            ...terms,
            issuedAt: iso(terms.issuedAt),
            endsAt: iso(terms.endsAt),
            graceEndsAt: iso(graceEndsAt(terms)),
            activatedAt: iso(kept.activatedAt),
            renewedAt: isoOrNull(kept.renewedAt),
          },
    usage,
    clock: {
      effectiveTime: iso(effectiveTime),
      state: clockState(clock),
    },
    renewal: {
      online: config.SVC_LICENSE_SERVICE_URL !== undefined,
      from: isoOrNull(terms === null ? null : renewFrom(terms)),
      lastAttemptAt: isoOrNull(kept?.renewalAttemptedAt),
      failures: kept?.renewalFailures ?? 0,
      failure: kept?.renewalFailure ?? null,
    },
    skippedDeltas: { count: kept?.skippedScans ?? 0, lastAt: isoOrNull(kept?.skippedAt) },
    challenge: kept !== null && clock !== null && isFresh(kept, clock.mark) ? kept.challenge : null,
  };
}
