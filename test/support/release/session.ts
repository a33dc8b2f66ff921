/** A signed-in person. The session lasts whichever release serves. */
export type Session = { principalId: string; cookie: string; csrfToken: string };

export type Answer = { status: number; text: string };

/** By the development sign-in. */
export async function signIn(url: string, principalId: string): Promise<Session> {
  const response = await fetch(`${url}/api/auth/dev/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ principalId }),
  });
  if (!response.ok) throw new Error(`The sign-in was answered with ${response.status}`);
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  return { principalId, csrfToken, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

export async function get(url: string, { cookie }: Session, path: string): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { headers: { cookie }, redirect: 'manual' });
  return { status: response.status, text: await response.text() };
}

export async function post(url: string, session: Session, path: string, body: object): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      cookie: session.cookie,
      'x-svc-csrf': session.csrfToken,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}
