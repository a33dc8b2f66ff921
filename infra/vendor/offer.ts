import { z } from 'zod';
import { newId } from '../../core/kernel/ids.ts';
import { ENTITLEMENT_VERSION, FEATURES, type SignedTerms } from '../../core/licensing/terms.ts';

const DAY_MS = 24 * 3_600_000;
const Bound = z.int().min(0).nullable();

/** What the vendor sells to a tenant: the terms, before they have an id and a time. */
export const OfferSchema = z.strictObject({
  tenantId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  edition: z.string().regex(/^[a-z0-9-]{1,32}$/),
  days: z.int().min(1).max(3_660),
  graceDays: z.int().min(0).max(90),
  features: z.array(z.enum(FEATURES)),
  maxBillableUsers: Bound,
  maxAssets: Bound,
  maxScopes: Bound,
  telemetry: z.boolean(),
});
export type Offer = z.infer<typeof OfferSchema>;

/** The terms of an offer that is issued now. */
export const termsOf = ({ days, ...offer }: Offer, now: number, challenge: string | null): SignedTerms => ({
  entitlementVersion: ENTITLEMENT_VERSION,
  entitlementId: newId('ent', now),
  ...offer,
  issuedAt: new Date(now).toISOString(),
  endsAt: new Date(now + days * DAY_MS).toISOString(),
  challenge,
});
