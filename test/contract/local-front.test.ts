import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { front } from '../../infra/local/front.ts';
import { type FunctionsHost, startFunctionsHost } from '../../infra/local/functions-host.ts';

const MAX_BODY = 1_000;

let host: FunctionsHost;
beforeAll(async () => {
  host = await startFunctionsHost({
    root: new URL('../support/functions-host', import.meta.url).pathname,
    main: 'http-functions.ts',
    hostJson: { version: '2.0', extensions: { http: { routePrefix: 'api' } } },
    settings: {},
    httpLimits: { maxRequestBodyBytes: MAX_BODY, headersTimeoutMs: 400, requestTimeoutMs: 1000 },
    ...front('idp'),
  });
});
afterAll(() => host?.close());

/** Sends bytes as they are; resolves with the answer. */
async function raw(bytes: string): Promise<{ status: number; head: string; body: unknown }> {
  const socket = connect(host.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: JSON.parse(body) };
}

test.each([
  ['GET', '/elsewhere', '', 404, 'not_found'],
  ['DELETE', '/api/defaults', '', 405, 'method_not_allowed'],
  ['POST', '/api/upload', 'x'.repeat(MAX_BODY + 1), 413, 'payload_too_large'],
  ['GET', '/api/throws', '', 500, 'internal_error'],
])('what the host refuses of %s %s has the error envelope', async (method, path, body, status, error) => {
  const answer = await fetch(`${host.url}${path}`, {
    method,
    headers: { 'x-svc-correlation': 'mine' },
    ...(body !== '' && { body }),
  });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual(
    error === 'internal_error' ? { error, correlationId: 'mine' } : { error, message: expect.any(String) },
  );
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-svc-correlation': 'mine',
    'x-svc-auth-mode': 'idp',
    'x-content-type-options': 'nosniff',
    ...(status === 405 && { allow: 'GET, POST' }),
  });
});

test.each([
  ['no request', 'NONSENSE\r\n\r\n', 400, 'validation_failed'],
  [
    'a broken target',
    'GET /api/echo/%zz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    400,
    'validation_failed',
  ],
  [
    'too many headers',
    `GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
    431,
    'payload_too_large',
  ],
  [
    'too demanding',
    'GET / HTTP/1.1\r\nHost: h\r\nExpect: more\r\nConnection: close\r\n\r\n',
    417,
    'validation_failed',
  ],
  ['too slow', 'GET / HTTP/1.1\r\nHost: h\r\nX-Slow: ', 408, 'validation_failed'],
])('what is %s has the error envelope', async (_, bytes, status, error) => {
  const answer = await raw(bytes);
  expect(answer).toMatchObject({ status, body: { error } });
  expect(answer.head).toMatch(/\r\nx-svc-correlation: cor_/);
});

test('what breaks off after its answer has no second one', async () => {
  const head = 'POST / HTTP/1.1\r\nHost: h\r\nExpect: more\r\nTransfer-Encoding: chunked';
  const { status, body } = await raw(`${head}\r\n\r\nnonsense\r\n\r\n`);
  expect([status, body]).toMatchObject([417, { error: 'validation_failed' }]);
});

test('a client that goes on sending a body that is too large reads why', async () => {
  const { status, body } = await raw(
    `POST /api/upload HTTP/1.1\r\nHost: h\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(2_000)}`,
  );
  expect([status, body]).toMatchObject([413, { error: 'payload_too_large' }]);
});
