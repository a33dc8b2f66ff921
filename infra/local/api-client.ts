import { signInAtProvider } from './sign-in-at-provider.ts';

/** A person who uses the local API. Signs in once, then sends the session and its CSRF token. */
export type ApiClient = {
  get<T>(path: string): Promise<T>;
  /** Resolves with the status too, because a conflict can be a valid answer. */
  post<T>(path: string, body: unknown): Promise<{ status: number; body: T }>;
};

/** By the development sign-in. */
export async function signIn(url: string, principalId: string): Promise<ApiClient> {
  const login = await fetch(`${url}/api/auth/dev/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ principalId }),
  });
  if (!login.ok) throw new Error(`sign-in was answered with ${login.status}`);
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { csrfToken } = (await login.json()) as { csrfToken: string };
  return clientWith(url, cookie, csrfToken);
}

/** By the identity provider of the local stack. */
export async function signInThroughProvider(url: string, subject: string): Promise<ApiClient> {
  const { status, body, cookies } = await signInAtProvider(`${url}/api/auth/idp/login`, subject);
  if (status !== 302) throw new Error(`sign-in was answered with ${status}: ${body}`);
  const cookie = [...(cookies.get(new URL(url).host) ?? [])].map((pair) => pair.join('=')).join('; ');
  return withSession(url, cookie);
}

/** In a session that somebody has started: `svc_session=…` as the browser sends it. */
export async function withSession(url: string, cookie: string): Promise<ApiClient> {
  const { csrfToken } = await clientWith(url, cookie, '').get<{ csrfToken: string }>('/api/auth/me');
  return clientWith(url, cookie, csrfToken);
}

function clientWith(url: string, cookie: string, csrfToken: string): ApiClient {
  return {
    get: async <T>(path: string) => {
      const response = await fetch(`${url}${path}`, { headers: { cookie } });
      if (!response.ok) throw new Error(`GET ${path} was answered with ${response.status}`);
      return (await response.json()) as T;
    },
    post: async <T>(path: string, body: unknown) => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', 'x-svc-csrf': csrfToken },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as T };
    },
  };
}
