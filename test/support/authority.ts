/** A directory that no authority has. */
export const DIRECTORY = '00000000-0000-4000-8000-000000000000';

/**
 * What an authority at `origin` answers to the two addresses that `@azure/identity` asks; undefined for any other. The
 * package writes every authority with TLS, so its answers do too.
 */
export function authorityAnswer(
  origin: string,
  url: string,
  token: string,
  seconds = 86_400,
): object | undefined {
  const base = `${origin.replace('http:', 'https:')}/${DIRECTORY}`;
  const { pathname } = new URL(url, origin);
  if (pathname.endsWith('/.well-known/openid-configuration'))
    return {
      issuer: `${base}/v2.0`,
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/oauth2/v2.0/token`,
      jwks_uri: `${base}/discovery/v2.0/keys`,
    };
  return pathname.endsWith('/oauth2/v2.0/token')
    ? { token_type: 'Bearer', access_token: token, expires_in: seconds }
    : undefined;
}
