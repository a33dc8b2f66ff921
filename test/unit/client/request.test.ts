import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Refusal, UnexpectedAnswer } from '../../../client/refusal.ts';
import { type CallOptions, request } from '../../../client/request.ts';
import { currentSession, signOut } from '../../../client/sign-in.ts';
import { ERROR_STATUS } from '../../../core/kernel/errors.ts';

type Answer = { status?: number; headers?: Record<string, string>; body?: unknown; text?: string };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A service that answers as written, and keeps what it was sent: method, path, and the token. */
async function serve(answer: (asked: IncomingMessage, at: number) => Answer) {
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    const token = incoming.headers['x-svc-csrf'];
    const at = asked.push(`${incoming.method} ${incoming.url}${token === undefined ? '' : ` ${token}`}`);
    const { status = 200, headers, body = {}, text } = answer(incoming, at);
    response.writeHead(status, {
      'content-type': text === undefined ? 'application/json; charset=utf-8' : 'text/html',
      ...headers,
    });
    response.end(text ?? JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close().closeAllConnections());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = (path: string, options: CallOptions = {}) => request<unknown>(path, { baseUrl, ...options });
  return { asked, call, baseUrl };
}

const refused = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('nothing was refused'),
    (error: unknown) => error,
  );
const busy: Answer = {
  status: 503,
  headers: { 'retry-after': '0' },
  body: { error: 'overloaded', message: 'Try again later.' },
};

test('an answer of JSON is its value, any other is the response', async () => {
  const { call } = await serve((_, at) => (at === 1 ? { body: { items: [] } } : { text: 'a,b' }));
  expect(await call('/api/x')).toEqual({ items: [] });
  const other = (await call('/api/x')) as Response;
  expect(await other.text()).toBe('a,b');
});

test('a refusal has status, code, body, correlation id and message', async () => {
  const { call } = await serve(() => ({
    status: 409,
    headers: { 'x-svc-correlation': 'cor_1' },
    body: { error: 'conflict', message: 'Somebody has answered.' },
  }));
  const error = await refused(call('/api/x'));
  expect(error).toBeInstanceOf(Refusal);
  expect(error).toMatchObject({
    status: 409,
    code: 'conflict',
    message: 'Somebody has answered.',
    body: { error: 'conflict' },
    correlationId: 'cor_1',
    retryAfterSeconds: null,
  });
});

test('a refusal without a message says what is wrong with each field, or its code', async () => {
  const issues = [
    { path: 'name', message: 'Too long.' },
    { path: '', message: 'Unknown field.' },
  ];
  const bodies: unknown[] = [
    { error: 'validation_failed', issues },
    { error: 'csrf_token_invalid' },
    { error: 'internal_error', correlationId: 'cor_2' },
  ];
  const { call } = await serve((_, at) => ({ status: 400, body: bodies[at - 1] }));
  expect(await refused(call('/api/x'))).toMatchObject({ message: 'name: Too long. Unknown field.' });
  expect(await refused(call('/api/x'))).toMatchObject({ message: 'csrf_token_invalid' });
  expect(await refused(call('/api/x'))).toMatchObject({ message: 'internal_error' });
});

test('the page of a proxy is no refusal of the service', async () => {
  const { call } = await serve(() => ({ status: 502, text: '<h1>Bad gateway</h1>' }));
  const error = await refused(call('/api/x'));
  expect(error).toBeInstanceOf(UnexpectedAnswer);
  expect(error).toMatchObject({ status: 502 });
});

test('a page asks for the token once, before its first change', async () => {
  const { asked, call } = await serve(({ url }) => ({
    body: url === '/api/auth/me' ? { csrfToken: 't1' } : {},
  }));
  await call('/api/x');
  await Promise.all([call('/api/a', { method: 'POST' }), call('/api/b', { method: 'DELETE' })]);
  expect(asked.sort()).toEqual(['DELETE /api/b t1', 'GET /api/auth/me', 'GET /api/x', 'POST /api/a t1']);
});

test('a page whose session was replaced asks for the new token, once', async () => {
  let token = 't1';
  const { asked, call } = await serve(({ url, headers }) => {
    if (url === '/api/auth/me') return { body: { csrfToken: token } };
    return headers['x-svc-csrf'] === 't2'
      ? { body: {} }
      : { status: 403, body: { error: 'csrf_token_invalid' } };
  });
  expect(await refused(call('/api/x', { method: 'POST' }))).toMatchObject({ code: 'csrf_token_invalid' });
  expect(asked).toHaveLength(4);
  token = 't2';
  await call('/api/x', { method: 'POST' });
  expect(asked.slice(4)).toEqual(['POST /api/x t1', 'GET /api/auth/me', 'POST /api/x t2']);
});

test('a change of one person is not sent in the session of another', async () => {
  let me = { principalId: 'amara', csrfToken: 'of-amara' };
  const { asked, call, baseUrl } = await serve(({ url, headers }) => {
    if (url === '/api/auth/me') return { body: me };
    return headers['x-svc-csrf'] === me.csrfToken
      ? { body: {} }
      : { status: 403, body: { error: 'csrf_token_invalid' } };
  });
  await currentSession({ baseUrl });
  me = { principalId: 'bo', csrfToken: 'of-bo' };
  for (let at = 0; at < 2; at++)
    expect(await refused(call('/api/x', { method: 'POST' }))).toMatchObject({ code: 'csrf_token_invalid' });
  expect(asked.filter((each) => each.includes('of-bo'))).toEqual([]);
  await currentSession({ baseUrl });
  await call('/api/x', { method: 'POST' });
  expect(asked.at(-1)).toBe('POST /api/x of-bo');
});

/** Answers reads with a tag, and with 304 where the tag is named. */
const tagged = ({ url, method, headers }: IncomingMessage): Answer => {
  if (url === '/api/auth/me') return { body: { principalId: headers['x-who'] ?? 'amara', csrfToken: 't1' } };
  if (method !== 'GET') return {};
  if (headers['if-none-match'] === '"v1"') return { status: 304, text: '' };
  return { headers: { etag: '"v1"' }, body: { items: [1] } };
};

test('a page keeps what it read last, and a change of it is read', async () => {
  let tag = '"v1"';
  const named: (string | undefined)[] = [];
  const { call } = await serve(({ headers }) => {
    named.push(headers['if-none-match']);
    if (headers['if-none-match'] === tag) return { status: 304, text: '' };
    return { headers: { etag: tag }, body: { tag } };
  });
  expect(await call('/api/x')).toEqual({ tag: '"v1"' });
  expect(await call('/api/x')).toEqual({ tag: '"v1"' });
  tag = '"v2"';
  expect(await call('/api/x')).toEqual({ tag: '"v2"' });
  expect(await call('/api/y')).toEqual({ tag: '"v2"' });
  expect(named).toEqual([undefined, '"v1"', '"v1"', undefined]);
});

test.each([
  ['a sign-out', (baseUrl: string) => signOut({ baseUrl })],
  ['a change of person', (baseUrl: string) => currentSession({ baseUrl, headers: { 'x-who': 'bo' } })],
])('after %s nothing is kept', async (_, change) => {
  const tags: unknown[] = [];
  const { call, baseUrl } = await serve((asked) => {
    if (asked.url === '/api/x') tags.push(asked.headers['if-none-match']);
    return tagged(asked);
  });
  await currentSession({ baseUrl });
  await call('/api/x');
  await call('/api/x');
  await change(baseUrl);
  await call('/api/x');
  expect(tags).toEqual([undefined, '"v1"', undefined]);
});

test('what a program reads for one person is not kept for another', async () => {
  const tags: unknown[] = [];
  const { call } = await serve((asked) => {
    tags.push(asked.headers['if-none-match']);
    return tagged(asked);
  });
  for (const headers of [{ cookie: 'svc_session=a' }, { authorization: 'Bearer a.b.c' }]) {
    await call('/api/x', { headers });
    await call('/api/x', { headers });
  }
  await call('/api/x', { csrfToken: 'mine' });
  await call('/api/x');
  expect(tags).toEqual([undefined, undefined, undefined, undefined, undefined, undefined]);
});

test('the answers that are kept are bounded', async () => {
  const named: unknown[] = [];
  const { call } = await serve((asked) => {
    named.push(asked.headers['if-none-match']);
    return tagged(asked);
  });
  for (let at = 0; at < 65; at++) await call(`/api/${at}`);
  named.splice(0);
  await call('/api/64');
  await call('/api/0');
  expect(named).toEqual(['"v1"', undefined]);
});

test('a page without a session sends a change without a token', async () => {
  const { asked, call } = await serve(({ url }) =>
    url === '/api/auth/me' ? { status: 401, body: { error: 'authentication_required', message: '' } } : {},
  );
  await call('/api/x', { method: 'POST' });
  expect(asked).toEqual(['GET /api/auth/me', 'POST /api/x']);
});

test('a program sends its own token, and none with an access token', async () => {
  const { asked, call } = await serve(() => ({}));
  await call('/api/x', { method: 'POST', csrfToken: 'mine' });
  await call('/api/x', { method: 'POST', headers: { authorization: 'Bearer a.b.c' } });
  expect(asked).toEqual(['POST /api/x mine', 'POST /api/x']);
});

test('an overloaded service is asked again for a read, and three times at most', async () => {
  const soon = await serve((_, at) => (at < 3 ? busy : { body: { ok: true } }));
  expect(await soon.call('/api/x')).toEqual({ ok: true });
  const never = await serve(() => busy);
  expect(await refused(never.call('/api/x'))).toMatchObject({ code: 'overloaded', retryAfterSeconds: 0 });
  expect(never.asked).toHaveLength(3);
});

test('a change is sent again only with an idempotency key', async () => {
  const { asked, call } = await serve((_, at) => (at < 3 ? busy : {}));
  const change = { method: 'POST', csrfToken: null };
  expect(await refused(call('/api/x', change))).toMatchObject({ code: 'overloaded' });
  await call('/api/y', { ...change, headers: { 'Idempotency-Key': 'k' } });
  expect(asked).toEqual(['POST /api/x', 'POST /api/y', 'POST /api/y']);
});

test.each(['internal_error', 'conflict', 'not_configured'])('%s is not asked again', async (error) => {
  const { asked, call } = await serve(() => ({ status: 500, body: { error, message: '' } }));
  expect(await refused(call('/api/x'))).toMatchObject({ code: error });
  expect(asked).toHaveLength(1);
});

test('a signal ends the wait for an overloaded service', async () => {
  const { asked, call } = await serve(() => ({ ...busy, headers: { 'retry-after': '3600' } }));
  const aborting = new AbortController();
  const error = refused(call('/api/x', { signal: aborting.signal }));
  await expect.poll(() => asked).toHaveLength(1);
  aborting.abort(new Error('left the page'));
  expect(await error).toMatchObject({ message: expect.stringMatching(/left the page/) });
  expect(asked).toHaveLength(1);
});

test('the codes of the client are those of the service', () => {
  // A code that is missing on one side does not compile.
  const codes: Record<Refusal['code'], number> = ERROR_STATUS;
  const known: Record<keyof typeof ERROR_STATUS, number> = codes;
  expect(Object.keys(known)).toHaveLength(14);
});
