/** Why the activation service gave no usable entitlement. */
export const RENEWAL_FAILURES = [
  /** No connection, or one that broke. */
  'unreachable',
  'timeout',
  /** It answered 400, 401, 403, 409, 410 or 422: the code or the entitlement is not accepted. */
  'refused',
  /** It answered with another status than 200. */
  'failed',
  /** The answer is no entitlement in JSON, or too large. */
  'malformed',
  /** The entitlement does not verify, is for another tenant, or does not repeat the challenge. */
  'not_verified',
  /** The entitlement has ended, or is older than the one in force. */
  'outdated',
] as const;
export type RenewalFailure = (typeof RENEWAL_FAILURES)[number];
