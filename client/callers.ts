import { type authDevLogin, authShowPrincipal, getAuthDevLoginUrl } from './generated/auth/auth.ts';
import { refusalIn } from './refusal.ts';
import type { CallOptions } from './request.ts';

/*
 * Who calls, for programs: the options to give to each call. Programs have no cookie jar and may be several people.
 */
export type CallerOptions = CallOptions & { baseUrl: string };

/** With an access token of the identity provider. */
export const withAccessToken = (baseUrl: string, accessToken: string): CallerOptions => ({
  baseUrl,
  headers: { authorization: `Bearer ${accessToken}` },
});

/** In a session that somebody has started: `svc_session=…` as a browser sends it. */
export async function withSession(baseUrl: string, cookie: string): Promise<CallerOptions> {
  const caller = { baseUrl, headers: { cookie } };
  const { csrfToken } = await authShowPrincipal(caller);
  return { ...caller, csrfToken };
}

/** As a persona, without a password. Development only. */
export async function asPersona(baseUrl: string, principalId: string): Promise<CallerOptions> {
  const response = await fetch(`${baseUrl}${getAuthDevLoginUrl()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ principalId }),
  });
  if (!response.ok) throw await refusalIn(response);
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { csrfToken } = (await response.json()) as Awaited<ReturnType<typeof authDevLogin>>;
  return { baseUrl, headers: { cookie }, csrfToken };
}
