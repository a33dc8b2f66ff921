/** Tokens of the page's session, by the address of the service. */
const tokens = new Map<string, Promise<string | null>>();

/** The token of the session that the browser has, or null without a session. It is asked for once. */
export function currentToken(baseUrl: string): Promise<string | null> {
  const known = tokens.get(baseUrl) ?? load(baseUrl);
  tokens.set(baseUrl, known);
  return known;
}

export const rememberToken = (baseUrl: string, token: string | null): void => {
  tokens.set(baseUrl, Promise.resolve(token));
};

export const forgetToken = (baseUrl: string): void => {
  tokens.delete(baseUrl);
};

async function load(baseUrl: string): Promise<string | null> {
  try {
    const response = await fetch(`${baseUrl}/api/auth/me`);
    if (response.ok) return ((await response.json()) as { csrfToken: string | null }).csrfToken;
  } catch {
    // The request that needs the token meets the same failure, and reports it.
  }
  forgetToken(baseUrl);
  return null;
}
