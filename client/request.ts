import { currentToken, forgetToken, keepAnswer, keptAnswer } from './page-session.ts';
import { Refusal, refusalIn } from './refusal.ts';

/** What a call may set. `callers.ts` makes it for programs; a page needs none of it. */
export type CallOptions = RequestInit & {
  /** Address of the service. A page leaves it out, because it comes from the service. */
  baseUrl?: string;
  /** Token of the session. A page leaves it out: the client asks for it when it is needed. */
  csrfToken?: string | null;
  /** What sends the requests: `fetch`, or one that adds a proxy, tracing or a record to it. */
  fetch?: typeof fetch;
};

/** What a call of the generated client rejects with. A connection that fails rejects as `fetch` does. */
export type ErrorType<Body> = Refusal<Body>;

const SAFE = new Set(['GET', 'HEAD']);
const ATTEMPTS = 3;

/**
 * Sends what the generated functions ask for. Resolves with the JSON of the answer, or with the response itself if it
 * is no JSON. Repeats reads and requests with an idempotency key while the service is overloaded. A page keeps what it
 * read last: an answer that has not changed since is not sent again.
 */
export async function request<T>(url: string, options: CallOptions = {}): Promise<T> {
  const { baseUrl = '', csrfToken, fetch: send = fetch, ...init } = options;
  const headers = new Headers(init.headers);
  const isSafe = SAFE.has(init.method ?? 'GET');
  // A program names its caller with each call, and may be several people.
  const isPage = csrfToken === undefined && !headers.has('authorization') && !headers.has('cookie');
  const asksForToken = !isSafe && isPage;
  const address = `${baseUrl}${url}`;
  const kept = isSafe && isPage ? keptAnswer(address) : undefined;
  if (kept !== undefined) headers.set('if-none-match', kept.tag);
  for (let attempt = 1; ; attempt++) {
    const token = asksForToken ? await currentToken(baseUrl) : csrfToken;
    if (!isSafe && token != null) headers.set('x-svc-csrf', token);
    const response = await send(address, { ...init, headers });
    if (response.status === 304 && kept !== undefined) {
      keepAnswer(address, kept);
      return kept.body as T;
    }
    if (response.ok) {
      const content = await contentOf(response);
      const tag = response.headers.get('etag');
      if (isSafe && isPage && tag !== null && content !== response)
        keepAnswer(address, { tag, body: content });
      return content as T;
    }

    const refusal = await refusalIn(response);
    const code = refusal instanceof Refusal ? refusal.code : null;
    if (code === 'csrf_token_invalid' && asksForToken && attempt === 1) {
      // Another tab has begun a new session. Nothing has been done yet. If it is of somebody else, nothing will be.
      forgetToken(baseUrl);
    } else if (code === 'overloaded' && (isSafe || headers.has('idempotency-key')) && attempt < ATTEMPTS) {
      await pause(refusal, init.signal ?? null);
    } else throw refusal;
  }
}

async function contentOf(response: Response): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return isJson ? response.json() : response;
}

/** Waits as long as the service asks for. Rejects when the signal aborts. */
function pause(refusal: Error, signal: AbortSignal | null): Promise<void> {
  const seconds = refusal instanceof Refusal ? (refusal.retryAfterSeconds ?? 1) : 1;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
