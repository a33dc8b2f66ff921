/** Whose page it is, by the address of the service: the person with whom it began, and the token of their session. */
const people = new Map<string, string>();
const tokens = new Map<string, Promise<string | null>>();

/** What the page has read, by address, with its tag. The one that was used longest ago is first. */
const answers = new Map<string, KeptAnswer>();
type KeptAnswer = { tag: string; body: unknown };

/** Enough for the lists and details between which a person goes. */
const MAX_ANSWERS = 64;

/**
 * The token of the session that the browser has, or null without a session. It is asked for once. Null too if the
 * session is of another person, who has signed in in another tab: what one person does is not sent as somebody else.
 */
export function currentToken(baseUrl: string): Promise<string | null> {
  const known = tokens.get(baseUrl) ?? load(baseUrl);
  tokens.set(baseUrl, known);
  return known;
}

/** The page is now of this person. What another one has read is forgotten. */
export function rememberSession(baseUrl: string, principalId: string, token: string | null): void {
  if (people.get(baseUrl) !== principalId) answers.clear();
  people.set(baseUrl, principalId);
  tokens.set(baseUrl, Promise.resolve(token));
}

/** The next change asks for the token again. */
export const forgetToken = (baseUrl: string): void => {
  tokens.delete(baseUrl);
};

/** Somebody has signed out. */
export function forgetSession(baseUrl: string): void {
  forgetToken(baseUrl);
  people.delete(baseUrl);
  answers.clear();
}

/** What was read at an address before, if it is kept. */
export const keptAnswer = (address: string): KeptAnswer | undefined => answers.get(address);

export function keepAnswer(address: string, answer: KeptAnswer): void {
  answers.delete(address);
  answers.set(address, answer);
  for (const oldest of answers.keys()) {
    if (answers.size <= MAX_ANSWERS) return;
    answers.delete(oldest);
  }
}

async function load(baseUrl: string): Promise<string | null> {
  try {
    const response = await fetch(`${baseUrl}/api/auth/me`);
    if (response.ok) {
      const me = (await response.json()) as { principalId: string; csrfToken: string | null };
      const person = people.get(baseUrl) ?? me.principalId;
      people.set(baseUrl, person);
      if (person === me.principalId) return me.csrfToken;
    }
  } catch (error) {
    // No network, or an answer that is no JSON. The request that needs the token meets the same failure, and reports it.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
  }
  forgetToken(baseUrl);
  return null;
}
