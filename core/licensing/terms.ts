import { z } from 'zod';

/** The schema version of entitlements that this release reads. */
export const ENTITLEMENT_VERSION = 2;

/** What an entitlement can include. */
export const FEATURES = ['scanning'] as const;

/** Days after the end during which scans still start, where the entitlement does not say. */
const DEFAULT_GRACE_DAYS = 14;

const Timestamp = z.iso.datetime().transform((text) => Date.parse(text));
/** Null: without bound. */
const Bound = z.int().min(0).max(1_000_000_000_000).nullable().default(null);

/** The payload of an entitlement. Times are ISO 8601 in the token, and milliseconds here. Unknown members are ignored. */
const TermsSchema = z
  .object({
    entitlementVersion: z.literal(ENTITLEMENT_VERSION),
    entitlementId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    /** The tenant that it is for. */
    tenantId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    edition: z.string().regex(/^[a-z0-9-]{1,32}$/),
    issuedAt: Timestamp,
    endsAt: Timestamp,
    graceDays: z.int().min(0).max(90).default(DEFAULT_GRACE_DAYS),
    features: z.array(z.string().max(64)).max(64),
    maxBillableUsers: Bound,
    maxAssets: Bound,
    maxScopes: Bound,
    /** Whether the vendor asks for fleet-health telemetry. */
    telemetry: z.boolean().default(false),
    /** Repeats the challenge of a deployment, which proves that the vendor signed it after the challenge was made. */
    challenge: z
      .string()
      .regex(/^[A-Za-z0-9_-]{22}$/)
      .nullable()
      .default(null),
  })
  .refine(({ issuedAt, endsAt }) => issuedAt < endsAt);

export type Terms = z.output<typeof TermsSchema>;
/** The terms as they are signed. */
export type SignedTerms = z.input<typeof TermsSchema>;

/** The terms in a payload, or null if it has none of this version. */
export const termsIn = (payload: unknown): Terms | null => TermsSchema.safeParse(payload).data ?? null;
