/** A browser's cookies by host and port, then by name. */
export type CookieJars = Map<string, Map<string, string>>;

export type ProviderAnswer = {
  status: number;
  location: string | null;
  cookies: CookieJars;
  body: string;
};

/** More redirects than this are a circle. */
const MAX_STEPS = 20;

/**
 * Signs in as a browser does: from the service's login URL to the local OpenID provider, there as an account, and back.
 * @param cookies what the browser has already; changed
 * @returns what the service answers to the callback, or to the login URL if it sends nobody to the provider
 */
export async function signInAtProvider(
  loginUrl: string,
  subject: string,
  cookies: CookieJars = new Map(),
): Promise<ProviderAnswer> {
  const service = new URL(loginUrl).origin;
  let url = new URL(loginUrl);
  let form: URLSearchParams | null = null;
  let left = false;
  for (let step = 0; step < MAX_STEPS; step++) {
    const answer = await visit(url, cookies, form);
    if (url.origin === service && (left || answer.location === null)) return answer;
    left ||= url.origin !== service;
    if (answer.location !== null) {
      form = null;
      url = new URL(answer.location, url);
    } else if (answer.body.includes(`name="account" value="${subject}"`)) {
      form = new URLSearchParams({ account: subject });
    } else {
      // The provider signs out whoever was signed in before.
      ({ form, url } = formOf(answer, url));
    }
  }
  throw new Error(`the sign-in does not come back to ${service}`);
}

/**
 * Signs out as a browser does, with the provider's own form.
 * @param endSessionUrl where the service sends a browser that signs out
 * @returns where the provider sends it then
 */
export async function signOutAtProvider(endSessionUrl: string, cookies: CookieJars): Promise<string | null> {
  const url = new URL(endSessionUrl);
  const { form, url: action } = formOf(await visit(url, cookies, null), url);
  form.set('logout', 'yes');
  return (await visit(action, cookies, form)).location;
}

/** A form of the provider that submits itself. */
function formOf({ status, body }: ProviderAnswer, url: URL): { form: URLSearchParams; url: URL } {
  const action = body.match(/action="([^"]+)"/)?.[1];
  const inputs = [...body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  if (action === undefined || inputs.length === 0) {
    throw new Error(
      `no such account, or nothing to choose, at ${url.origin}${url.pathname}: ${status} ${body}`,
    );
  }
  const form = new URLSearchParams(
    inputs.map(([, name = '', value = '']): [string, string] => [name, value]),
  );
  return { form, url: new URL(action, url) };
}

/** @param form is sent by POST; null asks by GET */
async function visit(url: URL, cookies: CookieJars, form: URLSearchParams | null): Promise<ProviderAnswer> {
  const jar = cookies.get(url.host) ?? new Map<string, string>();
  cookies.set(url.host, jar);
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(form !== null && { method: 'POST', body: form }),
  });
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = '', attributes = ''] = line.match(/^([^=]+)=([^;]*)(.*)$/) ?? [];
    if (/max-age=0\b|expires=thu, 01 jan 1970/i.test(attributes)) jar.delete(name);
    else jar.set(name, value);
  }
  return {
    status: response.status,
    location: response.headers.get('location'),
    cookies,
    body: await response.text(),
  };
}
