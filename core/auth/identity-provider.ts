import {
  createRemoteJWKSet,
  type JWTPayload,
  type JWTVerifyGetKey,
  errors as joseErrors,
  jwtVerify,
} from 'jose';
import * as openid from 'openid-client';
import type { Config } from '../config/config.ts';
import { type Clock, neverBack } from '../kernel/clock.ts';
import { isMicrosoft } from './claims.ts';

/** The provider did not answer, or not as a provider does. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
}

/** A code or a token that must not be trusted. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}

/** The provider answered the sign-in with an error, or the person went back. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused';
}

/** What one sign-in keeps secret between its start and its end. */
type SignInSecrets = { state: string; nonce: string; verifier: string };

export type IdentityProvider = {
  readonly issuer: string;
  /**
   * Where the browser goes to sign in. Throws `ProviderUnreachable`.
   * @param prompt what the provider asks even somebody who is signed in there
   */
  authorizationUrl(secrets: SignInSecrets, prompt?: 'select_account'): Promise<string>;
  /**
   * Exchanges the code of a callback and returns the claims of the verified ID token. Throws `ProviderUnreachable`,
   * `ProviderRefused` and `TokenRefused`.
   * @param now milliseconds
   */
  exchange(callback: URLSearchParams, secrets: SignInSecrets, now: number): Promise<JWTPayload>;
  /** Where the browser goes to sign out there as well; null where the provider offers nothing. */
  logoutUrl(): Promise<string | null>;
};

export type AccessTokenVerifier = {
  /** The claims of a verified access token. Throws `ProviderUnreachable` and `TokenRefused`. */
  verify(token: string, now: number): Promise<JWTPayload>;
};

/** Between the clocks of the provider and of the service, both ways. */
const CLOCK_TOLERANCE_SECONDS = 60;
const TIMEOUT_SECONDS = 10;
/** An unknown key is looked for in a new key set at most this often. */
const KEY_SET_COOLDOWN_MS = 30_000;
const METADATA_KEPT_MS = 60 * 60 * 1000;
/** A provider that did not answer is left alone for this long. */
const RETRY_AFTER_MS = 5_000;
/** Asymmetric ones alone: with HMAC, whoever may verify could sign. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const SCOPE = 'openid profile email';
const MAX_TOKEN_CHARACTERS = 16_384;

/** The issuer whose people sign in; null where none is configured. */
export const issuerOf = ({ SVC_IDP_ISSUER: issuer, SVC_IDP_TENANT_ID: tenant }: Config): string | null =>
  issuer ?? (tenant === undefined ? null : `https://login.microsoftonline.com/${tenant}/v2.0`);

/** Null where issuer, client id, secret or redirect URI is not configured. */
export function createIdentityProvider(config: Config, clock: Clock): IdentityProvider | null {
  const issuer = issuerOf(config);
  const { SVC_IDP_CLIENT_ID: clientId, SVC_IDP_REDIRECT_URI: redirectUri } = config;
  const secret = config.secret('SVC_IDP_CLIENT_SECRET_REF');
  if (issuer === null || clientId === undefined || redirectUri === undefined || secret === null) return null;
  const metadata = keptMetadata(clock, issuer, clientId, secret);
  return {
    issuer,
    authorizationUrl: async ({ state, nonce, verifier }, prompt) => {
      const challenge = await openid.calculatePKCECodeChallenge(verifier);
      const parameters = { redirect_uri: redirectUri, scope: SCOPE, state, nonce, ...(prompt && { prompt }) };
      const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
      return openid.buildAuthorizationUrl((await metadata()).client, { ...parameters, ...pkce }).href;
    },
    exchange: async (callback, { state, nonce, verifier }, now) => {
      const known = await metadata();
      const url = new URL(redirectUri);
      url.search = callback.toString();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const tokens = await openid
        .authorizationCodeGrant(known.client, url, { ...checks, idTokenExpected: true })
        .catch((error: unknown) => {
          throw grantFailure(error);
        });
      const claims = await verified(tokens.id_token ?? '', known, { issuer, audience: clientId, now });
      if (claims.azp !== undefined && claims.azp !== clientId) throw new TokenRefused('azp');
      if (Array.isArray(claims.aud) && claims.aud.length > 1 && claims.azp === undefined)
        throw new TokenRefused('azp');
      refuseOtherDirectory(claims, issuer, config.SVC_IDP_TENANT_ID);
      return claims;
    },
    logoutUrl: async () => {
      const { client } = await metadata();
      if (client.serverMetadata().end_session_endpoint === undefined) return null;
      const home = new URL('/', redirectUri).href;
      return openid.buildEndSessionUrl(client, { client_id: clientId, post_logout_redirect_uri: home }).href;
    },
  };
}

/** Null where access tokens are not accepted: without an audience, without an issuer, or in development sign-in. */
export function createAccessTokenVerifier(config: Config, clock: Clock): AccessTokenVerifier | null {
  const issuer = issuerOf(config);
  const audience = config.SVC_API_AUDIENCE;
  if (config.SVC_AUTH_MODE !== 'idp' || issuer === null || audience === undefined) return null;
  const metadata = keptMetadata(clock, issuer, audience);
  return {
    verify: async (token, now) => {
      const claims = await verified(token, await metadata(), { issuer, audience, now });
      // An ID token, which says who signed in somewhere and lets nobody act.
      if (claims.nonce !== undefined || claims.at_hash !== undefined) throw new TokenRefused('typ');
      refuseOtherDirectory(claims, issuer, config.SVC_IDP_TENANT_ID);
      return claims;
    },
  };
}

/** The document names another issuer, as an address for people of any directory does. */
const OTHER_ISSUER = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';

type Metadata = { client: openid.Configuration; keys: JWTVerifyGetKey };

/**
 * Discovers the provider on first use and once an hour; of calls at the same time, one asks. A provider that does not
 * answer is not asked again for some seconds, and what was known of it before goes on.
 */
function keptMetadata(
  clock: Clock,
  issuer: string,
  clientId: string,
  secret?: string,
): () => Promise<Metadata> {
  const steady = neverBack(clock);
  let kept: { until: number; metadata: Promise<Metadata> } | null = null;
  return () => {
    if (kept === null || steady() > kept.until) {
      const former = kept?.metadata;
      const metadata = discover(clock, issuer, clientId, secret).catch((error: unknown) => {
        if (kept?.metadata === metadata) kept.until = steady() + RETRY_AFTER_MS;
        if (former === undefined) throw error;
        return former;
      });
      kept = { until: steady() + METADATA_KEPT_MS, metadata };
    }
    return kept.metadata;
  };
}

async function discover(
  clock: Clock,
  issuer: string,
  clientId: string,
  secret: string | undefined,
): Promise<Metadata> {
  const execute = isLoopback(issuer) ? [openid.allowInsecureRequests] : [];
  const client = await openid
    .discovery(
      new URL(issuer),
      clientId,
      { [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      authenticationOf(secret),
      { execute, timeout: TIMEOUT_SECONDS },
    )
    .catch((error: unknown) => {
      const isOther = error instanceof openid.ClientError && error.code === OTHER_ISSUER;
      throw new ProviderUnreachable(isOther ? 'issuer' : 'discovery', { cause: error });
    });
  const { issuer: named, jwks_uri: keySet } = client.serverMetadata();
  // An address for people of any directory names no issuer of its own.
  if (new URL(named).href !== new URL(issuer).href) throw new ProviderUnreachable('issuer');
  if (keySet === undefined) throw new ProviderUnreachable('jwks_uri');
  return { client, keys: keptKeys(clock, keySet) };
}

/** The keys at an address. Where it does not answer, it is not asked again for some seconds. */
function keptKeys(clock: Clock, url: string): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_SECONDS * 1000,
    cooldownDuration: KEY_SET_COOLDOWN_MS,
  });
  const steady = neverBack(clock);
  let silentUntil = 0;
  return async (header, token) => {
    if (steady() < silentUntil) throw new ProviderUnreachable('jwks');
    try {
      return await remote(header, token);
    } catch (error) {
      if (!isOfToken(error)) silentUntil = steady() + RETRY_AFTER_MS;
      throw error;
    }
  };
}

/** The method that every provider must support, unless it says that it does not. */
const authenticationOf =
  (secret: string | undefined): openid.ClientAuth =>
  (server, client, body, headers) => {
    if (secret === undefined) return;
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const by = methods.includes('client_secret_basic') ? openid.ClientSecretBasic : openid.ClientSecretPost;
    by(secret)(server, client, body, headers);
  };

/** A provider on this machine may do without TLS: what goes there leaves the machine nowhere. */
const isLoopback = (issuer: string) => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(issuer).hostname);

async function verified(
  token: string,
  { client, keys }: Metadata,
  { issuer, audience, now }: { issuer: string; audience: string; now: number },
): Promise<JWTPayload> {
  if (token.length > MAX_TOKEN_CHARACTERS) throw new TokenRefused('length');
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: client.serverMetadata().issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now),
      requiredClaims: ['sub', 'exp', 'iat'],
    });
    if ((payload.iat ?? 0) > now / 1000 + CLOCK_TOLERANCE_SECONDS) throw new TokenRefused('iat');
    // As the tenant is bound to it, should the two differ in a slash.
    return { ...payload, iss: issuer };
  } catch (error) {
    if (error instanceof TokenRefused) throw error;
    if (isOfToken(error)) throw new TokenRefused('token', { cause: error });
    throw new ProviderUnreachable('jwks', { cause: error });
  }
}

/** Whether a verification failed by the token, and not by the key set. */
const isOfToken = (error: unknown): boolean =>
  error instanceof joseErrors.JOSEError && !KEY_SET_FAILURES.has(error.code);

/** Of the key set. */
const KEY_SET_FAILURES = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID']);

/** A token of another directory of the same provider. Others than Microsoft's have no `tid`. */
function refuseOtherDirectory(claims: JWTPayload, issuer: string, tenant: string | undefined): void {
  if (tenant === undefined) return;
  if (claims.tid === undefined && !isMicrosoft(issuer)) return;
  if (claims.tid !== tenant) throw new TokenRefused('tid');
}

/** What went wrong while a code was exchanged. */
function grantFailure(error: unknown): Error {
  const cause = { cause: error };
  // The client secret is wrong: a provider that takes it in a header answers with a challenge.
  if (error instanceof openid.WWWAuthenticateChallengeError) return new ProviderRefused('client', cause);
  if (error instanceof openid.AuthorizationResponseError) return new ProviderRefused('answer', cause);
  if (error instanceof openid.ResponseBodyError) {
    const isOurs = error.error === 'invalid_client' || error.error === 'unauthorized_client';
    return isOurs ? new ProviderRefused('client', cause) : new TokenRefused('code', cause);
  }
  if (error instanceof openid.ClientError && !NO_ANSWER.has(error.code ?? ''))
    return new TokenRefused('answer', cause);
  return new ProviderUnreachable('token endpoint', cause);
}

/** Nothing arrived that a token endpoint would answer. */
const NO_ANSWER = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);
