import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { Clock } from '../../core/kernel/clock.ts';
import { CLIENT_ID } from './sign-in-world.ts';

/** The API that access tokens are for. */
export const AUDIENCE = 'api://governance';

/** Claims of a token; `undefined` leaves one out. */
export type Claims = { [name in keyof JWTPayload]: JWTPayload[name] | undefined };

/** How a token is signed. Default: by the first key of the provider. */
type Signing = { key?: Key; alg?: string };

type Key = { kid: string; privateKey: CryptoKey; publicKey: CryptoKey };

/** A provider that answers what a test tells it to, where a certified one never would. */
export type ScriptedProvider = {
  issuer: string;
  /** What the token endpoint answers next; `idToken` gets the nonce of the sign-in. */
  script: { status: number; idToken: (nonce: string) => Promise<string> };
  /** Keys that `jwks` lists. */
  keys: Key[];
  /** Whether discovery, keys and tokens answer 503. */
  isDown: boolean;
  /** How often each path was asked. */
  asked: Record<string, number>;
  /** A valid ID token, with some claims changed; `undefined` leaves one out. */
  token(claims?: Claims, options?: Signing): Promise<string>;
  /** A valid access token of an application for `AUDIENCE`, with some claims changed; with `scp` it is delegated. */
  accessToken(claims?: Claims, options?: Signing): Promise<string>;
  close(): Promise<void>;
};

export async function newKey(kid: string, alg = 'RS256'): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, publicKey };
}

/** @param clock milliseconds; when tokens are issued */
export async function startScriptedProvider(clock: Clock = Date.now): Promise<ScriptedProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const first = await newKey('first');
  const signed = (
    typ: string,
    claims: Claims,
    { key = provider.keys[0] ?? first, alg = 'RS256' }: Signing = {},
  ) => {
    const now = Math.floor(clock() / 1000);
    return new SignJWT({ iss: issuer, iat: now, exp: now + 300, ...claims } as JWTPayload)
      .setProtectedHeader({ alg, kid: key.kid, typ })
      .sign(key.privateKey);
  };
  const provider: ScriptedProvider = {
    issuer,
    script: { status: 200, idToken: (nonce) => provider.token({ nonce }) },
    keys: [first],
    isDown: false,
    asked: {},
    token: (claims = {}, signing) => signed('JWT', { aud: CLIENT_ID, sub: 'ada', ...claims }, signing),
    accessToken: (claims = {}, signing) =>
      signed('at+jwt', { aud: AUDIENCE, sub: 'application', client_id: 'application', ...claims }, signing),
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  /** By code: the tests choose the nonce as the code, since no person stands between. */
  const tokens = async (body: string) => {
    const nonce = new URLSearchParams(body).get('code') ?? '';
    const { status } = provider.script;
    if (status !== 200) return { status, answer: { error: 'invalid_grant' } };
    const id_token = await provider.script.idToken(nonce);
    return { status, answer: { access_token: 'unused', token_type: 'Bearer', expires_in: 60, id_token } };
  };
  const answers: Record<string, (body: string) => Promise<{ status: number; answer: unknown }>> = {
    '/.well-known/openid-configuration': async () => ({
      status: 200,
      answer: {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        authorization_response_iss_parameter_supported: true,
      },
    }),
    '/jwks': async () => ({
      status: 200,
      answer: {
        keys: await Promise.all(
          provider.keys.map(async ({ kid, publicKey }) => ({
            ...(await exportJWK(publicKey)),
            kid,
            use: 'sig',
          })),
        ),
      },
    }),
    '/token': tokens,
  };
  server.on('request', async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer);
    provider.asked[pathname] = (provider.asked[pathname] ?? 0) + 1;
    const body = await text(request);
    const { status, answer } = provider.isDown
      ? { status: 503, answer: {} }
      : ((await answers[pathname]?.(body)) ?? { status: 404, answer: {} });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  return provider;
}
