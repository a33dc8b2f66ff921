import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createIdentityProvider } from '../../../core/auth/identity-provider.ts';
import { loadConfig } from '../../../core/config/config.ts';

test('an issuer for people of any directory is named as another issuer', async () => {
  const server = createServer((_, response) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ issuer: `${origin}/{tenantid}/v2.0`, jwks_uri: `${origin}/keys` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const config = loadConfig({
    SVC_ENV: 'development',
    SVC_DATABASE_URL: 'postgres://localhost/governance',
    SVC_IDP_ISSUER: `http://127.0.0.1:${(server.address() as AddressInfo).port}/common/v2.0`,
    SVC_IDP_CLIENT_ID: 'client',
    SVC_IDP_CLIENT_SECRET_REF: 'SECRET',
    SECRET: 'secret',
    SVC_IDP_REDIRECT_URI: 'https://governance.example/api/auth/idp/callback',
  });
  const asked = createIdentityProvider(config, Date.now)?.authorizationUrl({
    state: 'state',
    nonce: 'nonce',
    verifier: 'v'.repeat(43),
  });
  await expect(asked).rejects.toMatchObject({ name: 'ProviderUnreachable', message: 'issuer' });
  server.close();
});
