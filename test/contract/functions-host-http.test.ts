import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type FunctionsHost,
  type HostLogEntry,
  startFunctionsHost,
} from '../../infra/local/functions-host.ts';
import { gate, recorded } from '../support/functions-host/recorded.ts';

const root = new URL('../support/functions-host', import.meta.url).pathname;
const hostJson = {
  version: '2.0',
  extensions: { http: { routePrefix: 'api', maxOutstandingRequests: 50 } },
};
const MAX_BODY = 100_000;

let host: FunctionsHost;
const log: HostLogEntry[] = [];
const errors: unknown[] = [];

const options = { root, main: 'http-functions.ts', hostJson, settings: {} };

beforeAll(async () => {
  host = await startFunctionsHost({
    ...options,
    log: (entry) => log.push(entry),
    onInvocationError: (error) => errors.push(error),
    httpLimits: { maxRequestBodyBytes: MAX_BODY, headersTimeoutMs: 400, requestTimeoutMs: 1000 },
  });
});
afterAll(() => host?.close());
beforeEach(() => {
  log.length = 0;
  errors.length = 0;
  recorded.invocations.length = 0;
});

const call = (path: string, init?: RequestInit) => fetch(`${host.url}${path}`, init);

/** Sends bytes as they are; `send` may be called again. Resolves with everything received until the end. */
function raw(text: string): { received: Promise<string>; send(more: string): void; end(): void } {
  const socket = connect(host.port, '127.0.0.1');
  let all = '';
  const received = new Promise<string>((resolve) => {
    socket.setEncoding('latin1').on('data', (chunk) => {
      all += chunk;
    });
    socket.on('close', () => resolve(all)).on('error', () => undefined);
  });
  socket.write(text, 'latin1');
  return { received, send: (more) => socket.write(more), end: () => socket.destroy() };
}

const until = async (condition: () => boolean) => {
  await expect.poll(condition, { interval: 10 }).toBe(true);
};

describe('routes', () => {
  it('hands over parameters, query, headers and body', async () => {
    const response = await call('/api/echo/a%20b/c?x=1&y=a%20b', {
      method: 'POST',
      body: 'häh',
      headers: { 'X-Custom': 'v', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      method: 'POST',
      url: `${host.url}/api/echo/a%20b/c?x=1&y=a%20b`,
      params: { first: 'a b', second: 'c' },
      query: [
        ['x', '1'],
        ['y', 'a b'],
      ],
      headers: { 'x-custom': 'v' },
      body: 'häh',
      functionName: 'echo',
      traceParent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    });
  });

  it('leaves an absent optional parameter out, and takes a trailing slash', async () => {
    expect(await (await call('/api/echo/a')).json()).toMatchObject({
      params: { first: 'a' },
      traceParent: null,
    });
    expect(await (await call('/api/echo/a/')).json()).toMatchObject({ params: { first: 'a' } });
    expect((await call('/api/echo')).status).toBe(404);
    expect((await call('/api/echo//b')).status).toBe(404);
  });

  it('matches regardless of case and keeps the case of values', async () => {
    expect(await (await call('/API/Echo/AbC')).json()).toMatchObject({ params: { first: 'AbC' } });
  });

  it('joins repeated query names and headers, as the host hands them to the worker', async () => {
    const answer = raw(
      'GET /api/echo/a?k=1&K=2 HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a: 2\r\nCookie: a=1\r\nCookie: b=2\r\nConnection: close\r\n\r\n',
    );
    const body = (await answer.received).split('\r\n\r\n')[1] ?? '';
    expect(JSON.parse(body)).toMatchObject({
      query: [['k', '1,2']],
      headers: { 'x-a': '1,2', cookie: 'a=1; b=2' },
    });
  });

  it('serves a function without route or methods by its name, by GET and POST', async () => {
    expect(await (await call('/api/defaults')).text()).toBe('defaults');
    expect(await (await call('/api/defaults', { method: 'POST' })).text()).toBe('defaults');
    expect((await call('/api/defaults', { method: 'PUT' })).status).toBe(405);
  });

  it('answers 404 for an unknown route and 405 with Allow for a known one', async () => {
    expect((await call('/api/unknown')).status).toBe(404);
    expect((await call('/')).status).toBe(404);
    const wrong = await call('/api/echo/a', { method: 'DELETE' });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET, POST, PUT');
    expect(await wrong.text()).toBe('');
  });

  it('chooses by constraint and takes the rest of a path', async () => {
    expect(await (await call('/api/items/7')).text()).toBe('by id');
    expect(await (await call('/api/items/seven')).text()).toBe('by name');
    expect((await call('/api/items/7b')).status).toBe(404);
    expect(await (await call('/api/files/a/b%20c/d')).json()).toEqual({ rest: 'a/b c/d' });
    expect(await (await call('/api/files')).json()).toEqual({});
  });

  it('does not crash on an undecodable path, and keeps an encoded slash encoded', async () => {
    for (const path of ['/api/echo/%', '/api/echo/%zz', '/api/echo/%ff', '/api/echo/%00']) {
      const answer = raw(`GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
      expect(await answer.received).toMatch(/^HTTP\/1\.1 400 /);
    }
    expect(await (await call('/api/echo/a%2Fb')).json()).toMatchObject({ params: { first: 'a%2Fb' } });
  });

  it('resolves dot segments before it routes', async () => {
    const answer = raw('GET /api/unknown/%2e%2e/defaults HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    expect(await answer.received).toMatch(/^HTTP\/1\.1 200 [\s\S]*defaults$/);
  });

  it.each([
    'GET * HTTP/1.1\r\nHost: h',
    'GET /api/defaults HTTP/1.1\r\nHost: a b',
    'GET ftp://h/ HTTP/1.1\r\nHost: h',
  ])('refuses a target or Host header that is not one: %j', async (head) => {
    expect(await raw(`${head}\r\nConnection: close\r\n\r\n`).received).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('does not route HEAD to a GET function, and sends no body for HEAD', async () => {
    expect((await call('/api/defaults', { method: 'HEAD' })).status).toBe(405);
    const answer = raw('HEAD /api/head HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    const [head = '', body] = (await answer.received).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head.toLowerCase()).toContain('content-length: 4');
    expect(head.toLowerCase()).toContain('x-answer: yes');
    expect(body).toBe('');
  });
});

describe('answers', () => {
  it('writes each cookie as a header of its own and frames the body itself', async () => {
    const answer = raw('GET /api/cookies HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    const [head = '', body] = (await answer.received).split('\r\n\r\n');
    expect(head.split('\r\n').filter((line) => /^set-cookie/i.test(line))).toEqual([
      'set-cookie: a=x%20y%3Bz; max-age=60; path=/; secure; samesite=lax; httponly',
      'set-cookie: b=1; expires=Thu, 01 Jan 1970 00:00:01 GMT; path=/api',
      'set-cookie: c=; max-age=0; path=/; samesite=none',
    ]);
    expect(head).toMatch(/content-length: 7/i);
    expect(head).not.toMatch(/chunked/i);
    expect(body).toBe('cookies');
  });

  it('sends bytes as they are and a generated body whole', async () => {
    expect(new Uint8Array(await (await call('/api/binary')).arrayBuffer())).toEqual(
      new Uint8Array([0, 255, 128]),
    );
    expect(await (await call('/api/streams')).text()).toBe('one two');
  });

  it.each([
    ['/api/nothing', 204],
    ['/api/no-content', 204],
    ['/api/not-modified', 304],
  ])('%s is %d without a body', async (path, status) => {
    const response = await call(path);
    expect(response.status).toBe(status);
    expect(await response.text()).toBe('');
    expect(response.headers.has('content-length')).toBe(false);
  });

  it.each(['/api/throws', '/api/text-result', '/api/bad-cookie'])(
    '%s is 500 without a body',
    async (path) => {
      const response = await call(path);
      expect(response.status).toBe(500);
      expect(await response.text()).toBe('');
    },
  );

  it('reports what was thrown to its owner, and not to the log', async () => {
    await call('/api/throws');
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ message: 'a secret of the function' });
    expect(log.map(({ level, functionName }) => [level, functionName])).toEqual([['error', 'throws']]);
    expect(JSON.stringify(log)).not.toContain('secret');
  });

  it('passes on what the function logs, by level', async () => {
    await call('/api/logs');
    expect(log.map(({ level, category, message }) => [level, category, message])).toEqual([
      ['information', 'user', 'plain 7'],
      ['warning', 'user', 'warned'],
    ]);
  });

  it('runs hooks in order, and lets them replace handler and result', async () => {
    recorded.hooks.length = 0;
    const response = await call('/api/hooked');
    expect([response.status, await response.text()]).toEqual([202, 'replaced']);
    expect(recorded.hooks).toEqual(['pre 1', 'pre 2', 'handler', 'post kept']);
  });
});

describe('bounds', () => {
  it('takes a body up to the limit', async () => {
    const response = await call('/api/upload', { method: 'POST', body: new Uint8Array(MAX_BODY) });
    expect(await response.text()).toBe(String(MAX_BODY));
  });

  it('answers 413 to an announced body that is too large, without running the function', async () => {
    const response = await call('/api/upload', { method: 'POST', body: new Uint8Array(MAX_BODY + 1) });
    expect(response.status).toBe(413);
    expect(recorded.invocations).toEqual([]);
  });

  it('answers 413 to a chunked body that grows too large', async () => {
    const body = new Blob([new Uint8Array(MAX_BODY + 1)]).stream();
    const response = await call('/api/upload', { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(response.status).toBe(413);
    expect(recorded.invocations).toEqual([]);
  });

  it('does not run the function when the client goes away in the middle of the body', async () => {
    const sender = raw('POST /api/upload HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf');
    await new Promise((resolve) => setTimeout(resolve, 50));
    sender.end();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(recorded.invocations).toEqual([]);
  });

  const HEADER_LIMIT = 32_768;
  const upload = (header: string) =>
    raw(
      `POST /api/upload HTTP/1.1\r\nHost: h\r\n${header}\r\nConnection: close\r\nContent-Length: 1\r\n\r\n1`,
    );

  it('takes more headers than Node by itself, up to the limit of the host', async () => {
    const answer = upload(`X-Large: ${'x'.repeat(HEADER_LIMIT - 200)}`);
    expect(await answer.received).toMatch(/^HTTP\/1\.1 200 /);
    expect(recorded.invocations).toEqual(['upload']);
  });

  it.each([
    ['one header', `X-Large: ${'x'.repeat(HEADER_LIMIT)}`],
    ['many headers', Array.from({ length: 500 }, (_, n) => `X-${n}: ${'x'.repeat(80)}`).join('\r\n')],
  ])('answers 431 to %s beyond the limit, without running the function', async (_, header) => {
    expect(await upload(header).received).toMatch(/^HTTP\/1\.1 431 /);
    expect(recorded.invocations).toEqual([]);
  });

  it.each(['more', '100-continued', 'x100-continue', ','])(
    'answers 417 to the expectation %j, without running the function',
    async (expectation) => {
      expect(await upload(`Expect: ${expectation}`).received).toMatch(/^HTTP\/1\.1 417 /);
      expect(recorded.invocations).toEqual([]);
    },
  );

  it('holds no place for what it refuses so, and serves others', async () => {
    const large = `X-Large: ${'x'.repeat(HEADER_LIMIT)}`;
    const refused = Array.from(
      { length: 60 },
      (_, n) => upload(n % 2 === 0 ? large : 'Expect: more').received,
    );
    const statuses = (await Promise.all(refused)).map((answer) => answer.slice(9, 12));
    expect(statuses).toEqual(Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? '431' : '417')));
    expect((await call('/api/upload', { method: 'POST', body: '1' })).status).toBe(200);
  });

  it('ends a connection that sends its headers or its body too slowly', async () => {
    const slowHead = raw('GET /api/defaults HTTP/1.1\r\nHost: h\r\nX-Slow: ');
    const slowBody = raw('POST /api/upload HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n1');
    expect(await slowHead.received).toMatch(/^HTTP\/1\.1 408 /);
    expect(await slowBody.received).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
    expect(recorded.invocations).toEqual([]);
  });

  it('answers 429 beyond the outstanding requests, and serves again afterwards', async () => {
    const waiting = Array.from({ length: 50 }, () => call('/api/waits/many'));
    await until(() => recorded.invocations.length === 50);
    expect((await call('/api/defaults')).status).toBe(429);
    gate('many').resolve();
    expect((await Promise.all(waiting)).map((response) => response.status)).toEqual(Array(50).fill(200));
    expect((await call('/api/defaults')).status).toBe(200);
  });

  it('answers 500 when a function runs out of time', async () => {
    const timed = await startFunctionsHost({
      ...options,
      hostJson: { ...hostJson, functionTimeout: '00:00:01' },
    });
    const response = await fetch(`${timed.url}/api/waits/timeout`);
    expect(response.status).toBe(500);
    gate('timeout').resolve();
    await timed.close();
  });
});

describe('life of the host', () => {
  it('says what it serves', () => {
    expect(host.functions).toContainEqual({
      name: 'echo',
      kind: 'http',
      methods: ['GET', 'POST', 'PUT'],
      route: '/api/echo/{first}/{second?}',
    });
  });

  it('says that a port is in use', async () => {
    await expect(startFunctionsHost({ ...options, port: host.port })).rejects.toThrow(
      `Port ${host.port} is already in use`,
    );
  });

  it('answers what is under way before it closes, then takes no connection', async () => {
    recorded.hooks.length = 0;
    const other = await startFunctionsHost(options);
    const waiting = fetch(`${other.url}/api/waits/closing`);
    await until(() => recorded.invocations.includes('waits closing'));
    const closed = other.close();
    setTimeout(gate('closing').resolve, 50);
    expect(await (await waiting).text()).toBe('waited');
    await closed;
    expect(recorded.hooks).toEqual(['appStart', 'appTerminate true']);
    await expect(fetch(`${other.url}/api/defaults`)).rejects.toThrow();
  });

  it('runs the hooks while a function goes on that waits for them, and answers it', async () => {
    recorded.hooks.length = 0;
    const other = await startFunctionsHost({ ...options, closeTimeoutMs: 60_000 });
    const waiting = fetch(`${other.url}/api/waits/hooks`);
    await until(() => recorded.invocations.includes('waits hooks'));
    const closed = other.close();
    await until(() => recorded.hooks.includes('appTerminate true'));
    gate('hooks').resolve();
    expect(await (await waiting).text()).toBe('waited');
    await closed;
  });

  it('waits for a running function no longer than the bound', async () => {
    const other = await startFunctionsHost({ ...options, closeTimeoutMs: 100 });
    const waiting = fetch(`${other.url}/api/waits/never`).catch(() => 'ended');
    await until(() => recorded.invocations.includes('waits never'));
    await other.close();
    expect(await waiting).toBe('ended');
  });
});
