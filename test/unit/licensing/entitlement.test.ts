import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../core/config/config.ts';
import {
  ENTITLEMENT_TYPE,
  EntitlementRefused,
  MAX_TOKEN_BYTES,
  trustedKeys,
  verifyEntitlement,
  verifyEntitlementOf,
} from '../../../core/licensing/entitlement.ts';
import { VENDOR_KEYS } from '../../../core/licensing/vendor-keys.ts';
import { newKeyPair, signEntitlement, signerOfPem } from '../../../infra/vendor/signer.ts';
import { entitlement, LICENSED, SIGNER, terms } from '../../support/entitlements.ts';

const NOW = Date.parse('2026-11-24T00:00:00Z');
const PASSPHRASE = 'a passphrase of tests';
const pair = newKeyPair(PASSPHRASE);
const vendor = signerOfPem(pair.pem, PASSPHRASE);
const DATABASE = { SVC_DATABASE_URL: 'postgres://none' };
const production = trustedKeys(
  loadConfig({ ...DATABASE, SVC_ENV: 'production', SVC_SESSION_SECRET: 'correct-horse-battery' }),
  [pair.shipped],
);
const development = trustedKeys(
  loadConfig({ ...DATABASE, SVC_ENV: 'development', SVC_AUTH_MODE: 'dev', ...LICENSED }),
  [pair.shipped],
);

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = (header: Record<string, unknown>, payload: unknown, key: Parameters<CompactSign['sign']>[0]) =>
  new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'EdDSA', kid: vendor.kid, typ: ENTITLEMENT_TYPE, ...header })
    .sign(key);
const refusalOf = (token: string, keys = production) =>
  verifyEntitlement(token, keys).then(
    () => 'accepted',
    (error: unknown) => (error instanceof EntitlementRefused ? error.reason : String(error)),
  );

test('production trusts the keys that a release ships, and no other', () => {
  const keys = trustedKeys(
    loadConfig({ ...DATABASE, SVC_ENV: 'production', SVC_SESSION_SECRET: 'correct-horse-battery' }),
  );
  expect(keys.map(({ algorithm }) => algorithm)).toEqual(VENDOR_KEYS.map(() => 'EdDSA'));
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
});

describe('production', () => {
  test('accepts what a shipped key signed, and reads its terms', async () => {
    const token = await signEntitlement(terms(NOW, { maxAssets: 5 }), vendor);
    expect(await verifyEntitlement(token, production)).toMatchObject({
      ...{ tenantId: 'dev', issuedAt: NOW, maxAssets: 5, maxScopes: null, features: ['scanning'] },
    });
  });

  test('says that it does not know the key where the release ships none', async () => {
    const token = await signEntitlement(terms(NOW), vendor);
    expect(await refusalOf(token, [])).toBe('unknown_key');
    expect(await refusalOf(await entitlement(NOW), [])).toBe('algorithm_not_allowed');
  });

  test('refuses the HMAC of development', async () => {
    expect(await refusalOf(await entitlement(NOW))).toBe('algorithm_not_allowed');
  });

  test.each(['none', 'HS256', 'RS256', 'ES256', 'HS512'])('refuses %s in the header', async (alg) => {
    const header = base64url({ alg, kid: vendor.kid, typ: ENTITLEMENT_TYPE });
    expect(await refusalOf(`${header}.${base64url(terms(NOW))}.AAAA`)).toBe('algorithm_not_allowed');
  });

  test('refuses a token without a signature', async () => {
    const header = base64url({ alg: 'none', kid: vendor.kid, typ: ENTITLEMENT_TYPE });
    expect(await refusalOf(`${header}.${base64url(terms(NOW))}.`)).toBe('malformed');
  });
});

describe.each([
  ['production', production],
  ['development', development],
])('in %s is refused', (_, keys) => {
  test('an HMAC keyed with the public key', async () => {
    const publicKeys = [
      Buffer.from(pair.shipped.x),
      Buffer.from(pair.shipped.x, 'base64url'),
      vendor.key.export({ type: 'spki', format: 'der' }),
      Buffer.from(vendor.key.export({ type: 'spki', format: 'pem' })),
    ];
    for (const key of publicKeys) {
      const token = await signed({ alg: 'HS256' }, terms(NOW), createSecretKey(key));
      expect(await refusalOf(token, keys)).toBe('algorithm_not_allowed');
    }
  });

  test('a foreign key, under its own id and under a known one', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    expect(await refusalOf(await signed({ kid: 'foreign' }, terms(NOW), privateKey), keys)).toBe(
      'unknown_key',
    );
    expect(await refusalOf(await signed({}, terms(NOW), privateKey), keys)).toBe('bad_signature');
  });

  test('a changed payload, header or signature', async () => {
    const token = await signEntitlement(terms(NOW), vendor);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const more = base64url({ ...terms(NOW), maxAssets: null, endsAt: '2099-01-01T00:00:00Z' });
    const other = base64url({ typ: ENTITLEMENT_TYPE, kid: vendor.kid, alg: 'EdDSA' });
    expect(await refusalOf(`${header}.${more}.${signature}`, keys)).toBe('bad_signature');
    expect(await refusalOf(`${other}.${payload}.${signature}`, keys)).toBe('bad_signature');
    expect(await refusalOf(`${header}.${payload}.${'A'.repeat(signature.length)}`, keys)).toBe(
      'bad_signature',
    );
  });

  test('another type, and none', async () => {
    const privateKey = vendor.signingKey;
    for (const typ of ['JWT', 'at+jwt', ''])
      expect(await refusalOf(await signed({ typ }, terms(NOW), privateKey), keys)).toBe('wrong_type');
    const header = base64url({ alg: 'EdDSA', kid: vendor.kid });
    expect(await refusalOf(`${header}.${base64url(terms(NOW))}.AAAA`, keys)).toBe('malformed');
  });

  test('a header that brings its own key, or has other members', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const jwk = publicKey.export({ format: 'jwk' });
    for (const more of [{ jwk }, { jku: 'https://example.com' }, { x5c: ['AAAA'] }])
      expect(await refusalOf(await signed(more as never, terms(NOW), privateKey), keys)).toBe('malformed');
  });

  test('an oversized token, before anything is read of it', async () => {
    expect(await refusalOf('a'.repeat(MAX_TOKEN_BYTES + 1), keys)).toBe('too_large');
    const large = { ...terms(NOW), filler: 'x'.repeat(MAX_TOKEN_BYTES) };
    expect(await refusalOf(await signed({}, large, vendor.signingKey), keys)).toBe('too_large');
  });

  test.each(['', '.', '..', 'a.b', 'a.b.c', 'a.b.c.d', 'é.é.é', 'eyJhbGciOiJFZERTQSJ9..AAAA', '{}'])(
    'what is no token: %j',
    async (text) => {
      expect(await refusalOf(text, keys)).toBe('malformed');
    },
  );

  test.each([
    ['another version', { entitlementVersion: 1 }],
    ['an end before the issue', { endsAt: '2020-01-01T00:00:00Z' }],
    ['no time', { issuedAt: 'today' }],
    ['a negative bound', { maxAssets: -1 }],
    ['a fractional bound', { maxBillableUsers: 1.5 }],
    ['too long a grace window', { graceDays: 91 }],
    ['no features', { features: undefined }],
    ['no tenant', { tenantId: '' }],
  ])('terms with %s', async (_name, changes) => {
    const token = await signed({}, { ...terms(NOW), ...changes }, vendor.signingKey);
    expect(await refusalOf(token, keys)).toBe('unknown_terms');
  });

  test('a payload that is no JSON object', async () => {
    for (const payload of ['text', 1, null, []])
      expect(await refusalOf(await signed({}, payload, vendor.signingKey), keys)).toBe('unknown_terms');
  });

  test('the entitlement of another tenant', async () => {
    const token = await signEntitlement(terms(NOW, { tenantId: 'other' }), vendor);
    await expect(verifyEntitlementOf('dev', token, keys)).rejects.toMatchObject({ reason: 'wrong_tenant' });
    expect((await verifyEntitlementOf('other', token, keys)).tenantId).toBe('other');
  });
});

describe('development', () => {
  test('accepts both kinds of keys, each for its own algorithm', async () => {
    expect(await refusalOf(await entitlement(NOW), development)).toBe('accepted');
    expect(await refusalOf(await signEntitlement(terms(NOW), vendor), development)).toBe('accepted');
    const crossed = await signed({ alg: 'HS256' }, terms(NOW), SIGNER.signingKey);
    expect(await refusalOf(crossed, development)).toBe('algorithm_not_allowed');
  });

  test('trusts no secret where none is configured', async () => {
    const config = loadConfig({ ...DATABASE, SVC_ENV: 'development', SVC_AUTH_MODE: 'dev' });
    const keys = trustedKeys(config, [pair.shipped]);
    expect(await refusalOf(await entitlement(NOW), keys)).toBe('algorithm_not_allowed');
  });
});

test('keys rotate: each accepts its own tokens while a release ships both', async () => {
  const next = newKeyPair(PASSPHRASE);
  const tokens = [vendor, signerOfPem(next.pem, PASSPHRASE)].map((signer) =>
    signEntitlement(terms(NOW), signer),
  );
  const config = loadConfig({ ...DATABASE, SVC_ENV: 'development', SVC_AUTH_MODE: 'dev' });
  const both = trustedKeys(config, [pair.shipped, next.shipped]);
  const later = trustedKeys(config, [next.shipped]);
  const refusals = async (keys: typeof both) =>
    Promise.all(tokens.map(async (t) => refusalOf(await t, keys)));
  expect(await refusals(both)).toEqual(['accepted', 'accepted']);
  expect(await refusals(later)).toEqual(['unknown_key', 'accepted']);
});

test('a refusal quotes nothing of the token', async () => {
  const canary = 'CanaryOfTheToken';
  const tokens = [
    canary,
    `${canary}.${canary}.${canary}`,
    await signed({ kid: canary }, terms(NOW), vendor.signingKey),
  ];
  for (const token of tokens) {
    const error: unknown = await verifyEntitlement(token, production).catch((thrown: unknown) => thrown);
    expect(`${error instanceof Error ? `${error.stack}${error.cause}` : ''}`).not.toContain(canary);
  }
});
