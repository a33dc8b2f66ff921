import type { Answer, SignedIn, TestService } from './client.ts';
import type { Claims, ScriptedProvider } from './scripted-provider.ts';
import { personWith } from './sign-in-world.ts';

/** The answer to the callback, and whoever is signed in by it. */
type Arrival = Answer<string> & { person: SignedIn | null };

type SignInOptions = { code?: string; userAgent?: string };

/** A sign-in with these claims in the ID token. Several may go on at once. */
export type ScriptedSignIn = (claims: Claims, options?: SignInOptions) => Promise<Arrival>;

/** Sign-ins at the scripted provider, which asks nobody anything. It answers with their ID tokens from now on. */
export function scriptedSignIn(service: TestService, provider: ScriptedProvider): ScriptedSignIn {
  const claimsOf = new Map<string, Claims>();
  provider.script.idToken = (nonce) => provider.token({ nonce, ...claimsOf.get(nonce) });
  return async (claims, { code, userAgent = 'test' } = {}) => {
    const query = code === undefined ? '' : `?code=${code}`;
    const begun = await service.anonymous.get(`/api/auth/idp/login${query}`);
    const asked = new URL(begun.headers.get('location') ?? '').searchParams;
    const nonce = asked.get('nonce') ?? '';
    claimsOf.set(nonce, claims);
    const answer = await service.anonymous.get<string>(
      `/api/auth/idp/callback?${new URLSearchParams({
        ...{ code: nonce, state: asked.get('state') ?? '', iss: provider.issuer },
      })}`,
      { cookie: begun.cookies[0]?.split(';')[0] ?? '', 'user-agent': userAgent },
    );
    const cookie = answer.cookies.find((each) => /^svc_session=[^;]/.test(each))?.split(';')[0];
    return { ...answer, person: cookie === undefined ? null : await personWith(service, cookie) };
  };
}
