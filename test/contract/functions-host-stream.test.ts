import { once } from 'node:events';
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionsHost, startFunctionsHost } from '../../infra/local/functions-host.ts';
import { gate, recorded } from '../support/functions-host/recorded.ts';

/** A file of its own: the programming model turns stream mode on for a whole process. */
const root = new URL('../support/functions-host', import.meta.url).pathname;
const MAX_BODY = 4_000_000;

let host: FunctionsHost;
const errors: unknown[] = [];

beforeAll(async () => {
  host = await startFunctionsHost({
    root,
    main: 'stream-functions.ts',
    hostJson: { version: '2.0', extensions: { http: { routePrefix: '' } } },
    settings: {},
    onInvocationError: (error) => errors.push(error),
    httpLimits: { maxRequestBodyBytes: MAX_BODY },
  });
});
afterAll(() => host?.close());

it('passes parameters, query, headers and body in, and head, cookies and body out', async () => {
  const response = await fetch(`${host.url}/echo/a%20b?k=1&k=2`, {
    method: 'POST',
    body: 'text',
    headers: { 'x-agent': 'test', 'x-ms-invocation-id': 'forged', 'x-forwarded-host': 'forged' },
  });
  expect(response.status).toBe(201);
  expect(response.headers.get('x-one')).toBe('1');
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await response.json()).toEqual({
    url: `${host.url}/echo/a%20b?k=1&k=2`,
    method: 'POST',
    params: { name: 'a b' },
    query: [
      ['k', '1'],
      ['k', '2'],
    ],
    agent: 'test',
    body: 'text',
  });
  expect((await fetch(`${host.url}/echo/get`)).status).toBe(201);
});

it('sends the first part of an answer before the second exists', async () => {
  const response = await fetch(`${host.url}/two-parts`);
  const parts = (response.body ?? new ReadableStream()).getReader();
  expect(Buffer.from((await parts.read()).value).toString()).toBe('first');
  gate('second part').resolve();
  expect(Buffer.from((await parts.read()).value).toString()).toBe('second');
  expect((await parts.read()).done).toBe(true);
});

it('passes a request body on as it comes, and the answer to it', async () => {
  const exchange = send(`${host.url}/mirror`, { method: 'POST' });
  exchange.write('ping');
  const answer = await new Promise<NodeJS.ReadableStream>((resolve) => exchange.on('response', resolve));
  const next = () => new Promise<string>((resolve) => answer.once('data', (chunk) => resolve(String(chunk))));
  expect(await next()).toBe('ping');
  const second = next();
  exchange.end('pong');
  expect(await second).toBe('pong');
});

it('takes a large body up to the limit and answers 413 beyond it', async () => {
  recorded.bodyEnds.length = 0;
  const post = (bytes: number, chunked: boolean) => {
    const body = new Uint8Array(bytes);
    return fetch(`${host.url}/count`, {
      method: 'POST',
      body: chunked ? new Blob([body]).stream() : body,
      duplex: 'half',
    } as RequestInit);
  };
  expect(await (await post(MAX_BODY, true)).text()).toBe(String(MAX_BODY));
  expect((await post(MAX_BODY + 1, false)).status).toBe(413);
  errors.length = 0;
  expect((await post(MAX_BODY + 1, true)).status).toBe(413);
  // The function goes on with what it got, and its answer comes too late.
  await expect.poll(() => recorded.bodyEnds).toEqual(['cut short']);
  expect(errors).toEqual([]);
});

/** Sends all of a request before it reads anything. @returns statuses of the answers until the end. */
function sendFirst(head: string, body: Uint8Array, after = ''): Promise<string[]> {
  const socket = connect(host.port, '127.0.0.1').pause();
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  socket.write(`${head}\r\nHost: h\r\nContent-Length: ${body.byteLength}\r\n\r\n`);
  socket.write(body);
  socket.write(after, () => socket.resume());
  return new Promise((resolve) => {
    const end = () => resolve([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? ''));
    socket.on('error', () => undefined).on('close', end);
  });
}

describe.each(['ignored', 'left', 'kept'])('an answer in mid-body, which the function %s', (having) => {
  const body = new Uint8Array(MAX_BODY);

  it('reaches senders that are still sending, where it ends the connection', async () => {
    const head = `POST /refuses/${having} HTTP/1.1\r\nConnection: close`;
    const answers = await Promise.all(Array.from({ length: 5 }, () => sendFirst(head, body)));
    expect(answers).toEqual(Array(5).fill(['403']));
  });

  it('leaves a connection of use for the next request', async () => {
    const next = 'GET /echo/next HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';
    expect(await sendFirst(`POST /refuses/${having} HTTP/1.1`, body, next)).toEqual(['403', '201']);
  });
});

it('refuses many bodies that are too large, and none of their senders waits', async () => {
  const body = new Uint8Array(MAX_BODY + 1);
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => sendFirst('POST /count HTTP/1.1', body)),
  );
  expect(answers).toEqual(Array(60).fill(['413']));
});

it('lets a function produce only what its client reads, and stops when it leaves', async () => {
  recorded.bodyEnds.length = 0;
  const socket = connect(host.port, '127.0.0.1').pause();
  socket.write('GET /long HTTP/1.1\r\nHost: h\r\n\r\n');
  let before = -1;
  const stoodStill = () => {
    const stands = recorded.partsMade === before && before > 0;
    before = recorded.partsMade;
    return stands;
  };
  await expect.poll(stoodStill, { interval: 100 }).toBe(true);
  expect(before).toBeLessThan(500);
  expect(recorded.bodyEnds).toEqual([]);
  socket.destroy();
  await expect.poll(() => recorded.bodyEnds).toEqual(['stopped']);
});

it('listens on one port alone', () => {
  expect(process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap')).toHaveLength(1);
});

it('cuts the request body short when the client goes away', async () => {
  recorded.bodyEnds.length = 0;
  const socket = connect(host.port, '127.0.0.1');
  socket.write('POST /count HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n');
  await once(socket, 'data');
  socket.write('half', () => socket.destroy());
  await expect.poll(() => recorded.bodyEnds).toEqual(['cut short']);
});

it.each(['GET', 'POST'])('answers 500 without a body when the function throws (%s)', async (method) => {
  errors.length = 0;
  const response = await fetch(`${host.url}/throws`, { method, ...(method === 'POST' && { body: 'x' }) });
  expect([response.status, await response.text()]).toEqual([500, '']);
  expect(errors).toHaveLength(1);
});

it('does not let an answer look complete that the function broke off', async () => {
  const response = await fetch(`${host.url}/throws-late`);
  expect(response.status).toBe(200);
  gate('late').resolve();
  await expect(response.text()).rejects.toThrow();
});

it('tells the caller of a function that answers nothing', async () => {
  expect((await fetch(`${host.url}/nothing`)).status).toBe(500);
});

it('answers 404 and 405 itself', async () => {
  expect((await fetch(`${host.url}/unknown`)).status).toBe(404);
  expect((await fetch(`${host.url}/two-parts`, { method: 'POST' })).status).toBe(405);
});
