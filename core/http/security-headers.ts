/** Headers of every response, after OWASP ASVS 5 (V3.4 browser security headers). */
const ALWAYS = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

const PRODUCTION = {
  ...ALWAYS,
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

export const securityHeaders = (production: boolean): Readonly<Record<string, string>> =>
  production ? PRODUCTION : ALWAYS;
