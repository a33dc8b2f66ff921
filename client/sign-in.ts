import { authDevLogin, authLogout, authShowPrincipal, getAuthIdpLoginUrl } from './generated/auth/auth.ts';
import type { AuthIdpLoginParams, AuthShowPrincipalAnswer } from './generated/service.schemas.ts';
import { forgetSession, forgetToken, rememberSession } from './page-session.ts';
import { isRefusal } from './refusal.ts';
import type { CallOptions } from './request.ts';

/** Who is signed in, or null. */
export async function currentSession(options: CallOptions = {}): Promise<AuthShowPrincipalAnswer | null> {
  try {
    const session = await authShowPrincipal(options);
    rememberSession(options.baseUrl ?? '', session.principalId, session.csrfToken);
    return session;
  } catch (error) {
    if (!isRefusal(error, 'authentication_required')) throw error;
    forgetToken(options.baseUrl ?? '');
    return null;
  }
}

/** Signs in a page without a password. Development only. */
export async function signInAsPersona(principalId: string, options: CallOptions = {}): Promise<void> {
  const { csrfToken } = await authDevLogin({ principalId }, options);
  rememberSession(options.baseUrl ?? '', principalId, csrfToken);
}

/** Address of a link that begins a sign-in at the identity provider. It must be a link: the provider redirects. */
export const providerSignIn = (params: AuthIdpLoginParams = {}): string => getAuthIdpLoginUrl(params);

/** Ends the session. Returns where to go to sign out at the identity provider too, or null. */
export async function signOut(options: CallOptions = {}): Promise<string | null> {
  const { providerLogoutUrl } = await authLogout(options);
  forgetSession(options.baseUrl ?? '');
  return providerLogoutUrl ?? null;
}
