/** An Ed25519 public key of the vendor. `kid` names it in the headers of entitlements; `x` is the member of its JWK. */
export type VendorKey = { kid: string; x: string };

/**
 * The public keys that this release ships. `npm run vendor -- key` makes a pair and prints the line for this list. A
 * rotation adds a key; a former one is removed when no entitlement of it is in use. While the list is empty, no
 * entitlement is accepted in production, and scans are permitted.
 */
export const VENDOR_KEYS: readonly VendorKey[] = [];
