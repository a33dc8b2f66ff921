import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { compactVerify } from 'jose';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { type Terms, termsIn } from './terms.ts';
import { VENDOR_KEYS, type VendorKey } from './vendor-keys.ts';

/** Larger than any entitlement, and small enough to store and to verify for each scan. */
export const MAX_TOKEN_BYTES = 8192;
/** `typ` of the header. It keeps other tokens of the same key from being taken for entitlements. */
export const ENTITLEMENT_TYPE = 'entitlement+jws';
/** `kid` of entitlements that are signed with the shared secret of development. */
export const DEVELOPMENT_KEY_ID = 'development';

/** Why a token is not accepted. */
export const ENTITLEMENT_REFUSALS = [
  'too_large',
  'malformed',
  'wrong_type',
  'algorithm_not_allowed',
  'unknown_key',
  'bad_signature',
  'unknown_terms',
  'wrong_tenant',
] as const;
export type EntitlementRefusal = (typeof ENTITLEMENT_REFUSALS)[number];

/** Contains nothing of the token. */
export class EntitlementRefused extends Error {
  override readonly name = 'EntitlementRefused';
  readonly reason: EntitlementRefusal;

  constructor(reason: EntitlementRefusal) {
    super(`The entitlement is refused: ${reason}`);
    this.reason = reason;
  }
}

/** A key that entitlements are verified with, and the one algorithm that it is for. */
export type TrustedKey = { kid: string; algorithm: 'EdDSA' | 'HS256'; key: KeyObject };

/**
 * The keys of an environment. In production these are the public keys that the release ships. In development, the
 * shared secret is trusted too, if there is one.
 */
export function trustedKeys(
  config: Pick<Config, 'SVC_ENV' | 'secret'>,
  shipped: readonly VendorKey[] = VENDOR_KEYS,
): readonly TrustedKey[] {
  const keys = shipped.map(({ kid, x }): TrustedKey => {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return { kid, algorithm: 'EdDSA', key };
  });
  const secret = config.SVC_ENV === 'development' ? config.secret('SVC_LICENSE_SECRET_REF') : null;
  if (secret === null) return keys;
  return [
    ...keys,
    { kid: DEVELOPMENT_KEY_ID, algorithm: 'HS256', key: createSecretKey(Buffer.from(secret)) },
  ];
}

/** Other members, such as `crit`, `jwk` and `jku`, are refused. */
const HeaderSchema = z.strictObject({
  alg: z.string().max(64),
  kid: z.string().max(128),
  typ: z.string().max(64),
});

const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * The terms of a token whose signature is valid. Says nothing of its end. The header names the key and the algorithm,
 * and the key decides which algorithm that may be. Throws `EntitlementRefused`.
 */
export async function verifyEntitlement(token: string, keys: readonly TrustedKey[]): Promise<Terms> {
  if (Buffer.byteLength(token) > MAX_TOKEN_BYTES) throw new EntitlementRefused('too_large');
  const { alg, kid, typ } = headerOf(token);
  if (typ !== ENTITLEMENT_TYPE) throw new EntitlementRefused('wrong_type');
  // That of the vendor is allowed everywhere, also while a release ships no key.
  if (alg !== 'EdDSA' && !keys.some(({ algorithm }) => algorithm === alg))
    throw new EntitlementRefused('algorithm_not_allowed');
  const trusted = keys.find((each) => each.kid === kid);
  if (trusted === undefined) throw new EntitlementRefused('unknown_key');
  if (trusted.algorithm !== alg) throw new EntitlementRefused('algorithm_not_allowed');
  const terms = termsIn(jsonOf(await signedPayload(token, trusted)));
  if (terms === null) throw new EntitlementRefused('unknown_terms');
  return terms;
}

/** Like `verifyEntitlement`, for the terms of one tenant. */
export async function verifyEntitlementOf(
  tenantId: string,
  token: string,
  keys: readonly TrustedKey[],
): Promise<Terms> {
  const terms = await verifyEntitlement(token, keys);
  if (terms.tenantId !== tenantId) throw new EntitlementRefused('wrong_tenant');
  return terms;
}

function headerOf(token: string): z.infer<typeof HeaderSchema> {
  const header = COMPACT.test(token) ? jsonOf(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url')) : null;
  const parsed = HeaderSchema.safeParse(header);
  if (!parsed.success) throw new EntitlementRefused('malformed');
  return parsed.data;
}

async function signedPayload(token: string, { key, algorithm }: TrustedKey): Promise<Uint8Array> {
  try {
    return (await compactVerify(token, key, { algorithms: [algorithm] })).payload;
  } catch {
    throw new EntitlementRefused('bad_signature');
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}
