import type { HttpRequest } from '@azure/functions';
import { bearerToken, principalOfToken } from '../auth/access-token.sql.ts';
import { cookiesIn } from '../auth/cookie.ts';
import { ProviderUnreachable, TokenRefused } from '../auth/identity-provider.ts';
import { type PresentedSession, presentedSession, SESSION_COOKIE } from '../auth/session.sql.ts';
import { ServiceError, validationFailed } from '../kernel/errors.ts';
import type { Runtime } from '../runtime.ts';

type Asked = {
  readonly runtime: Runtime;
  readonly request: HttpRequest;
  readonly correlationId: string;
  readonly now: number;
};

/**
 * Who makes the request: by session cookie, or by access token. Throws `authentication_required` for a token that is not
 * valid, and `validation_failed` for a request with both.
 */
export async function recogniseCaller({
  runtime,
  request,
  correlationId,
  now,
}: Asked): Promise<PresentedSession> {
  const cookies = request.headers.get('cookie');
  const token = bearerToken(request.headers.get('authorization'));
  if (token === null) {
    return presentedSession(runtime, cookies, now);
  }
  if (cookiesIn(cookies, SESSION_COOKIE).length > 0) {
    throw validationFailed([
      { path: 'authorization', message: 'Send a session cookie or an access token, not both.' },
    ]);
  }
  const { accessTokens, log } = runtime;
  if (accessTokens === null) {
    throw new ServiceError('authentication_required', 'This deployment accepts no access tokens.');
  }
  try {
    const principal = await principalOfToken(runtime, accessTokens, token, now);
    return { caller: { principal, session: null }, sessionHash: null };
  } catch (error) {
    if (!(error instanceof TokenRefused || error instanceof ProviderUnreachable)) throw error;
    log.warn('access_token_refused', { correlationId }, error);
    throw error instanceof TokenRefused
      ? new ServiceError('authentication_required', 'The access token is not valid here.')
      : new ServiceError('overloaded', 'The identity provider does not answer. Try again in a moment.');
  }
}
