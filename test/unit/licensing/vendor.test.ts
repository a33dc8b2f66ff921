import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../../../core/config/config.ts';
import { trustedKeys, verifyEntitlement } from '../../../core/licensing/entitlement.ts';
import { openCodes } from '../../../infra/vendor/codes.ts';
import { LICENSED } from '../../support/entitlements.ts';
import { runCommand, runHere } from '../../support/run-command.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vendor-'));
afterAll(() => rmSync(folder, { recursive: true }));

const DEVELOPMENT = { SVC_ENV: 'development', SVC_AUTH_MODE: 'dev' };
const passphrase = path.join(folder, 'passphrase');
writeFileSync(passphrase, 'a passphrase of tests\n');
const keysWith = (shipped: { kid: string; x: string }[], settings: Record<string, string> = {}) =>
  trustedKeys(loadConfig({ ...DEVELOPMENT, SVC_DATABASE_URL: 'postgres://none', ...settings }), shipped);

const COMMAND = path.resolve(import.meta.dirname, '../../../infra/vendor/vendor.ts');
const vendor = (args: readonly string[], env: Record<string, string> = {}) => runHere(COMMAND, args, { env });

test('makes a key pair, and signs with it what verifies with the printed line', async () => {
  const key = path.join(folder, 'vendor.pem');
  const made = await runCommand(COMMAND, ['key', '--out', key, '--passphrase-file', passphrase]);
  const [, kid = '', x = ''] = /^\{ kid: '([\w-]{43})', x: '([\w-]{43})' \},\n$/.exec(made.out) ?? [];
  expect(readFileSync(key, 'utf8')).toContain('BEGIN ENCRYPTED PRIVATE KEY');
  expect(statSync(key).mode & 0o777).toBe(0o600);
  // It overwrites no key.
  expect((await vendor(['key', '--out', key, '--passphrase-file', passphrase])).code).toBe(1);

  const signer = ['--key', key, '--passphrase-file', passphrase];
  const { code, out } = await vendor(['issue', '--tenant', 'acme', '--max-assets', '7', ...signer]);
  expect(code).toBe(0);
  expect(await verifyEntitlement(out.trim(), keysWith([{ kid, x }]))).toMatchObject({
    ...{ tenantId: 'acme', maxAssets: 7, maxScopes: null, graceDays: 14, features: ['scanning'] },
  });

  const wrong = path.join(folder, 'wrong');
  writeFileSync(wrong, 'another passphrase of tests');
  const refused = await vendor(['issue', '--tenant', 'acme', '--key', key, '--passphrase-file', wrong]);
  expect([refused.code, refused.out]).toEqual([1, '']);
});

test('signs with the shared secret in development, and not in production', async () => {
  const issue = ['issue', '--tenant', 'dev', '--days', '30', '--no-scanning'];
  const { out } = await vendor(issue, { ...DEVELOPMENT, ...LICENSED });
  const terms = await verifyEntitlement(out.trim(), keysWith([], LICENSED));
  expect(terms).toMatchObject({ tenantId: 'dev', features: [] });
  expect(terms.endsAt - terms.issuedAt).toBe(30 * 24 * 3_600_000);

  const inProduction = await vendor(issue, { SVC_ENV: 'production', ...LICENSED });
  expect([inProduction.code, inProduction.out]).toEqual([1, '']);
  expect(inProduction.err).toContain('SVC_LICENSE_SECRET_REF');
  expect((await vendor(issue, DEVELOPMENT)).code).toBe(2);
});

test.each([
  [[]],
  [['unknown']],
  [['issue']],
  [['issue', '--tenant', 'dev', '--days', 'many']],
  [['issue', '--tenant', 'no tenant']],
  [['code', '--tenant', 'dev']],
  [['serve', '--data', folder, '--port', '70000']],
  [['issue', '--unknown']],
])('refuses %j with its usage and 2', async (args) => {
  const { code, out, err } = await vendor(args, { ...DEVELOPMENT, ...LICENSED });
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('npm run vendor -- issue');
});

test('a code that the command made is redeemed once, by two stores at once', async () => {
  const data = path.join(folder, 'codes');
  const { out } = await vendor(['code', '--tenant', 'dev', '--data', data]);
  const stores = await Promise.all([openCodes(data), openCodes(data)]);
  const redeemed = await Promise.all(
    Array.from({ length: 20 }, (_, n) => stores[n % 2]?.redeem(out.trim(), 'dev')),
  );
  expect(redeemed.filter((offer) => offer !== null)).toHaveLength(1);
});
