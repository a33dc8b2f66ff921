import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  API_SCOPE,
  type IdentityProvider,
  type ProviderAccount,
  startIdentityProvider,
} from '../../infra/local/identity-provider.ts';
import {
  type CookieJars,
  signInAtProvider,
  signOutAtProvider,
} from '../../infra/local/sign-in-at-provider.ts';

const CLIENT_ID = 'party';
const CLIENT_SECRET = 'a secret with a : and a %';
const AUDIENCE = 'b9a7c1d2-the-api';

/** A plain relying party: `/login` leads to the provider, `/callback` answers what it was told there. */
const party = createServer();
let home: string;
let provider: IdentityProvider;
let config: oidc.Configuration;
let accounts: ProviderAccount[];
let asked: { scope: string; verifier: string; redirect: string };

const printed: unknown[] = [];
const silenced = (['log', 'info', 'warn', 'error'] as const).map((name) =>
  vi.spyOn(console, name).mockImplementation((...words) => printed.push(words)),
);

beforeAll(async () => {
  party.listen(0, '127.0.0.1');
  await once(party, 'listening');
  home = `http://127.0.0.1:${(party.address() as AddressInfo).port}`;
  provider = await startIdentityProvider({
    port: 0,
    accounts: () => accounts,
    clients: [
      {
        clientId: CLIENT_ID,
        clientSecret: CLIENT_SECRET,
        redirectUris: [`${home}/callback`, `${home}/other`],
        postLogoutRedirectUris: [`${home}/bye`],
      },
    ],
    api: { audience: AUDIENCE },
  });
  config = await oidc.discovery(
    new URL(provider.issuer),
    CLIENT_ID,
    undefined,
    oidc.ClientSecretBasic(CLIENT_SECRET),
    { execute: [oidc.allowInsecureRequests] },
  );
  party.on('request', async (request, response) => {
    const url = new URL(request.url ?? '/', home);
    if (url.pathname === '/login') {
      const code_challenge = await oidc.calculatePKCECodeChallenge(asked.verifier);
      const { href } = oidc.buildAuthorizationUrl(config, {
        redirect_uri: `${home}${asked.redirect}`,
        scope: asked.scope,
        state: 'the state',
        nonce: 'the nonce',
        code_challenge,
        code_challenge_method: 'S256',
      });
      response.writeHead(302, { location: href }).end();
    } else response.writeHead(200).end(url.href);
  });
});
afterAll(async () => {
  await provider?.close();
  party.close();
  for (const spy of silenced) spy.mockRestore();
});
beforeEach(() => {
  accounts = [
    { subject: 'ada', displayName: 'Ada <Lovelace>', email: 'ada@example.com' },
    { subject: 'bob', displayName: 'Bob', email: null },
  ];
  asked = { scope: 'openid profile email', verifier: oidc.randomPKCECodeVerifier(), redirect: '/callback' };
});

const signIn = async (subject: string, cookies?: CookieJars) => {
  const { status, body } = await signInAtProvider(`${home}/login`, subject, cookies);
  expect(status).toBe(200);
  return new URL(body);
};

/** Exchanges the code; openid-client checks state, nonce, issuer, signature, audience and expiry. */
const exchange = (callback: URL, pkceCodeVerifier = asked.verifier) =>
  oidc.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier,
    expectedState: 'the state',
    expectedNonce: 'the nonce',
  });

const refusal = (parameters: Record<string, string>) =>
  fetch(
    oidc.buildAuthorizationUrl(config, { scope: 'openid', redirect_uri: `${home}/callback`, ...parameters }),
    {
      redirect: 'manual',
    },
  );

test('a sign-in ends in an ID token with the name and the address', async () => {
  const callback = await signIn('ada');
  expect(callback.searchParams.get('iss')).toBe(provider.issuer);
  const claims = (await exchange(callback)).claims();
  expect(claims).toMatchObject({
    iss: provider.issuer,
    aud: CLIENT_ID,
    sub: 'ada',
    name: 'Ada <Lovelace>',
    email: 'ada@example.com',
  });
});

test('the ID token is signed with a published RSA key', async () => {
  const { id_token = '' } = await exchange(await signIn('ada'));
  const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''));
  const { protectedHeader } = await jwtVerify(id_token, keys, {
    issuer: provider.issuer,
    audience: CLIENT_ID,
  });
  expect(protectedHeader.alg).toBe('RS256');
});

test('each sign-in has the claims that the account has then', async () => {
  const claims = {
    roles: ['auditor'],
    oid: 'o-1',
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint: 'https://directory.example/groups' } },
  };
  accounts = [{ subject: 'bob', displayName: 'Bob', email: null, claims }];
  const first = (await exchange(await signIn('bob'))).claims();
  expect(first).toMatchObject({ sub: 'bob', name: 'Bob', ...claims });
  expect(first).not.toHaveProperty('email');
  accounts = [{ subject: 'bob', displayName: 'Robert', email: null, claims: { groups: ['g'] } }];
  const second = (await exchange(await signIn('bob'))).claims();
  expect(second).toMatchObject({ name: 'Robert', groups: ['g'] });
  expect(second).not.toHaveProperty('roles');
});

test('a wrong verifier is refused', async () => {
  const callback = await signIn('ada');
  await expect(exchange(callback, oidc.randomPKCECodeVerifier())).rejects.toMatchObject({
    error: 'invalid_grant',
  });
});

test('a code is exchanged once', async () => {
  const callback = await signIn('ada');
  await exchange(callback);
  await expect(exchange(callback)).rejects.toMatchObject({ error: 'invalid_grant' });
});

test.each([
  ['without a challenge', {}],
  ['with a plain challenge', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }],
])('a sign-in %s is refused', async (_, parameters) => {
  const location = new URL((await refusal(parameters)).headers.get('location') ?? '');
  expect(location.searchParams.get('error')).toBe('invalid_request');
});

test('another redirect URI is refused without a redirect', async () => {
  const answer = await refusal({ redirect_uri: 'http://127.0.0.1:1/callback' });
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  expect(await answer.text()).toContain('redirect_uri');
});

test('every redirect URI of a client serves', async () => {
  asked.redirect = '/other';
  const callback = await signIn('ada');
  expect(callback.pathname).toBe('/other');
  expect((await exchange(callback)).claims()?.sub).toBe('ada');
});

test('a browser that is signed in chooses again, and signs out', async () => {
  const cookies: CookieJars = new Map();
  await exchange(await signIn('ada', cookies));
  const tokens = await exchange(await signIn('bob', cookies));
  expect(tokens.claims()?.sub).toBe('bob');
  const isSignedIn = () => cookies.get(new URL(provider.issuer).host)?.has('_session');
  expect(isSignedIn()).toBe(true);
  const { href } = oidc.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: `${home}/bye`,
    state: 'later',
  });
  expect(await signOutAtProvider(href, cookies)).toBe(`${home}/bye?state=later`);
  expect(isSignedIn()).toBe(false);
});

test('an account that is not listed cannot be chosen', async () => {
  await expect(signIn('eve')).rejects.toThrow('no such account');
});

test.each([
  ['a person', API_SCOPE, 'ada'],
  ['the client itself', null, CLIENT_ID],
])('an access token of %s for the API names its audience', async (_, scope, subject) => {
  if (scope !== null) asked.scope += ` ${scope}`;
  const tokens =
    scope === null ? await oidc.clientCredentialsGrant(config) : await exchange(await signIn(subject));
  const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''));
  const { payload, protectedHeader } = await jwtVerify(tokens.access_token, keys, {
    issuer: provider.issuer,
    audience: AUDIENCE,
    typ: 'at+jwt',
  });
  expect([payload.sub, payload.client_id, protectedHeader.alg]).toEqual([subject, CLIENT_ID, 'RS256']);
});

test('nothing is printed', () => {
  expect(printed).toEqual([]);
});
