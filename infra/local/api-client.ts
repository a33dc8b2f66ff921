/** A person who uses the local API. Signs in once, then sends the session and its CSRF token. */
export type ApiClient = {
  get<T>(path: string): Promise<T>;
  /** Resolves with the status too, because a conflict can be a valid answer. */
  post<T>(path: string, body: unknown): Promise<{ status: number; body: T }>;
};

export async function signIn(url: string, principalId: string): Promise<ApiClient> {
  const login = await fetch(`${url}/api/auth/dev/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ principalId }),
  });
  if (!login.ok) throw new Error(`sign-in was answered with ${login.status}`);
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { csrfToken } = (await login.json()) as { csrfToken: string };
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
