import { z } from 'zod';
import { PRODUCT_VERSION } from '../controlplane/product-version.ts';
import { ClockStateSchema } from '../licensing/effective-time.ts';
import { LICENSE_STATES, type LicenseState, type Usage } from '../licensing/license-state.ts';
import type { Terms } from '../licensing/terms.ts';
import { AGES, bandOf, COUNTS, REMAINING, SHARES, wordsOf } from './bands.ts';

const CountBand = z.enum(wordsOf(COUNTS));
/** `none`: there is none. */
const AgeBand = z.enum([...wordsOf(AGES), 'none']);
const ShareBand = z.enum([...wordsOf(SHARES), 'unbounded']);

/**
 * Everything that telemetry can hold: words of closed sets, the version of the release, the word with which the vendor
 * names the edition, and a random pseudonym. There is no member for a name, a number or a text of the customer.
 */
export const TelemetryPayloadSchema = z.strictObject({
  telemetryVersion: z.literal(1),
  deployment: z.uuid().describe('A random pseudonym'),
  productVersion: z.string().regex(/^\d{2}\.\d{1,2}\.\d{1,2}\.\d{1,3}$/),
  edition: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/)
    .nullable()
    .describe('As the entitlement names it'),
  licensing: z.strictObject({
    state: z.enum(LICENSE_STATES),
    clock: ClockStateSchema,
    remaining: z.enum(wordsOf(REMAINING)).nullable().describe('Until the end of the entitlement'),
    billableUsers: ShareBand.nullable(),
    assets: ShareBand.nullable(),
    scopes: ShareBand.nullable(),
  }),
  health: z.strictObject({
    scanners: CountBand.describe('With a heartbeat'),
    scannersLost: CountBand.describe('Without a heartbeat'),
    pendingUnits: CountBand,
    oldestPendingUnit: AgeBand,
    deadUnits: CountBand,
    staleScopes: CountBand,
    lastCompletedScan: AgeBand,
  }),
});
export type TelemetryPayload = z.infer<typeof TelemetryPayloadSchema>;

/** What the bands are made of. Times are in milliseconds. */
export type TelemetryFacts = {
  deployment: string;
  license: {
    state: LicenseState;
    clock: z.infer<typeof ClockStateSchema>;
    effectiveTime: number;
    usage: Usage;
    /** Null without a usable entitlement. */
    terms: Terms | null;
  };
  scanners: number;
  scannersLost: number;
  pendingUnits: number;
  oldestPendingSince: number | null;
  deadUnits: number;
  staleScopes: number;
  lastCompletedAt: number | null;
};

/** The payload of these facts at a time of the system clock. */
export function telemetryPayload(facts: TelemetryFacts, now: number): TelemetryPayload {
  const { state, clock, effectiveTime, usage, terms } = facts.license;
  const age = (since: number | null) => (since === null ? 'none' : bandOf(AGES, now - since));
  const share = (used: number, most: number | null) =>
    most === null ? 'unbounded' : bandOf(SHARES, used / most);
  return {
    telemetryVersion: 1,
    deployment: facts.deployment,
    productVersion: PRODUCT_VERSION,
    edition: terms?.edition ?? null,
    licensing: {
      state,
      clock,
      remaining: terms && bandOf(REMAINING, terms.endsAt - effectiveTime),
      billableUsers: terms && share(usage.billableUsers, terms.maxBillableUsers),
      assets: terms && share(usage.assets, terms.maxAssets),
      scopes: terms && share(usage.scopes, terms.maxScopes),
    },
    health: {
      scanners: bandOf(COUNTS, facts.scanners),
      scannersLost: bandOf(COUNTS, facts.scannersLost),
      pendingUnits: bandOf(COUNTS, facts.pendingUnits),
      oldestPendingUnit: age(facts.oldestPendingSince),
      deadUnits: bandOf(COUNTS, facts.deadUnits),
      staleScopes: bandOf(COUNTS, facts.staleScopes),
      lastCompletedScan: age(facts.lastCompletedAt),
    },
  };
}

/** The bytes that are sent: what `GET /api/controlplane/telemetry-preview` answers. Throws if anything else has entered. */
export const telemetryText = (payload: TelemetryPayload): string =>
  JSON.stringify(TelemetryPayloadSchema.parse(payload));
