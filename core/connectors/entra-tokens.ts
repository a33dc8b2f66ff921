import type { TokenCredential, TokenCredentialOptions } from '@azure/identity';
import { retryClassOfStatus } from '../kernel/http-failure.ts';
import { retryAfterMs } from '../kernel/retry-after.ts';
import { readAtMost } from './cloud-http/read-body.ts';
import { type AcquiredToken, keptTokens, type TokenSource } from './cloud-http/token-source.ts';
import { ConnectorError } from './connector.ts';

/** Who issues tokens, and for what. */
type TokenIssuer = {
  /** Scheme, host and port of the authority. */
  authorityOrigin: string;
  /** The service that takes the tokens. */
  resource: string;
  /** How diagnostics begin. */
  diagnostic: 'graph_token' | 'blob_token';
};

/** How the service proves who it is. */
export type EntraIdentity =
  | { kind: 'secret'; tenantId: string; clientId: string; secret: string }
  /** `pem` holds the certificate and its private key. */
  | { kind: 'certificate'; tenantId: string; clientId: string; pem: string }
  /** A user-assigned managed identity of the host, which has the permissions itself. */
  | { kind: 'managed_identity'; clientId: string }
  /** What `DefaultAzureCredential` finds on the host: a workload identity, a managed identity. */
  | { kind: 'host'; clientId: string | undefined };

const ACQUIRE_WITHIN_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

type HttpClient = NonNullable<TokenCredentialOptions['httpClient']>;
type HttpResponse = Awaited<ReturnType<HttpClient['sendRequest']>>;

/**
 * Tokens of one identity, kept until shortly before they expire. `@azure/identity` is loaded with the first token. Its
 * requests leave through `fetch` here, so that the secret goes to the authority alone and no redirect is followed. Only
 * an identity of the host asks its host, whose address the package takes from the environment. Each token is asked for
 * with the secret of that time.
 */
export const entraTokens = (
  issuer: TokenIssuer,
  identityNow: () => EntraIdentity,
  count: (status: number) => void,
): TokenSource => keptTokens(() => granted(issuer, identityNow(), count));

async function granted(
  issuer: TokenIssuer,
  identity: EntraIdentity,
  count: (status: number) => void,
): Promise<AcquiredToken> {
  const asked: Asked = { isSent: false, status: null, retryAfterMs: null };
  try {
    const credential = await credentialOf(issuer, identity, authorityClient(issuer, count, asked));
    const options = { abortSignal: AbortSignal.timeout(ACQUIRE_WITHIN_MS) };
    const token = await credential.getToken(`${issuer.resource}/.default`, options);
    if (token === null) throw new ConnectorError('auth', `${issuer.diagnostic}_refused`);
    return { token: token.token, expiresAtMs: token.expiresOnTimestamp };
  } catch {
    // Messages of the package quote the answer of the authority, with ids of the tenant.
    throw tokenFailure(issuer, asked);
  }
}

/** Whether the authority was asked, and what it last answered. */
type Asked = { isSent: boolean; status: number | null; retryAfterMs: number | null };

function tokenFailure({ diagnostic }: TokenIssuer, { isSent, status, retryAfterMs }: Asked): ConnectorError {
  if (status !== null && status >= 400)
    return new ConnectorError(
      // The authority answers a wrong secret with 400 or 401.
      status < 500 && status !== 429 ? 'auth' : retryClassOfStatus(status),
      `${diagnostic}_${status}`,
      retryAfterMs,
    );
  // If nobody was asked, the certificate cannot be read, or the host has no identity.
  return isSent && status === null
    ? new ConnectorError('transient', `${diagnostic}_unreachable`)
    : new ConnectorError('auth', `${diagnostic}_refused`);
}

/** A new credential for each token, since the package keeps tokens that the service has refused. */
async function credentialOf(
  issuer: TokenIssuer,
  identity: EntraIdentity,
  httpClient: HttpClient,
): Promise<TokenCredential> {
  const {
    ClientSecretCredential,
    ClientCertificateCredential,
    DefaultAzureCredential,
    ManagedIdentityCredential,
  } = await import('@azure/identity');
  const options = {
    authorityHost: asHttps(issuer.authorityOrigin),
    // The authority is configured, so nobody is asked whether it exists.
    disableInstanceDiscovery: true,
    httpClient,
    retryOptions: { maxRetries: 2, maxRetryDelayInMs: 4_000 },
  };
  switch (identity.kind) {
    case 'secret':
      return new ClientSecretCredential(identity.tenantId, identity.clientId, identity.secret, options);
    case 'certificate':
      return new ClientCertificateCredential(
        identity.tenantId,
        identity.clientId,
        { certificate: identity.pem },
        options,
      );
    case 'managed_identity':
      return new ManagedIdentityCredential({ clientId: identity.clientId });
    case 'host':
      // The host names the authority, so nobody else is asked whether it exists.
      return new DefaultAzureCredential({
        disableInstanceDiscovery: true,
        ...(identity.clientId !== undefined && { managedIdentityClientId: identity.clientId }),
      });
  }
}

/** The package knows authorities with TLS only. A fake without it gets what is meant for the same host and port. */
const asHttps = (origin: string): string => origin.replace(/^http:/, 'https:');

/** Sends to the authority alone. Notes what it answered. */
const authorityClient = (
  { authorityOrigin, diagnostic }: TokenIssuer,
  count: (status: number) => void,
  asked: Asked,
): HttpClient => ({
  sendRequest: async (request): Promise<HttpResponse> => {
    const url = new URL(request.url);
    if (url.origin !== asHttps(authorityOrigin) || url.username !== '' || url.password !== '')
      throw new ConnectorError('permanent', `${diagnostic}_not_allowed`);
    asked.isSent = true;
    const response = await fetch(new URL(`${url.pathname}${url.search}`, authorityOrigin), {
      method: request.method,
      headers: request.headers.toJSON(),
      body: typeof request.body === 'string' ? request.body : null,
      redirect: 'manual',
      signal: request.abortSignal as AbortSignal,
    });
    count(response.status);
    asked.status = response.status;
    asked.retryAfterMs = retryAfterMs(response.headers.get('retry-after'), Date.now());
    const bytes = await readAtMost(response, MAX_BYTES);
    return {
      request,
      status: response.status,
      headers: asPackageHeaders(new Headers(response.headers)),
      bodyAsText: new TextDecoder().decode(bytes),
    };
  },
});

const asPackageHeaders = (headers: Headers): HttpResponse['headers'] => ({
  get: (name) => headers.get(name) ?? undefined,
  has: (name) => headers.has(name),
  set: (name, value) => headers.set(name, String(value)),
  delete: (name) => headers.delete(name),
  toJSON: () => Object.fromEntries(headers),
  [Symbol.iterator]: () => headers.entries(),
});
