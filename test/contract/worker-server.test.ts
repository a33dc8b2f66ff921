import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Server, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { installCoreModule, loadFunctionApp } from '../../infra/local/functions-host/core-module.ts';

/** The server that the official programming model starts in a worker, with a socket as in a deployment. */
let address: string;

beforeAll(async () => {
  const wired = new WeakSet<Server>();
  subscribe('http.server.request.start', (message) => {
    const { server } = message as { server: Server };
    if (wired.has(server)) return;
    wired.add(server);
    // In the place of an invocation, which would answer through this server.
    server.on('request', (request, response) => response.end(request.headers['x-large']?.slice(0, 3)));
  });
  installCoreModule();
  const { model } = await loadFunctionApp(
    () => undefined,
    async () => {
      await import('../../functions/http/health/show-health.ts');
    },
  );
  const { HttpUri = '' } = (await model.getCapabilities?.({})) ?? {};
  address = HttpUri;
});

async function answer(headers: Record<string, string>): Promise<[number | undefined, string]> {
  const exchange = send(address, { headers: { 'x-ms-invocation-id': 'one', ...headers } });
  exchange.end();
  const [response] = await once(exchange, 'response');
  return [response.statusCode, await text(response)];
}

test.each([100, 16_384, 33_000, 48_000])(
  'a request with %d bytes of headers reaches its invocation',
  async (bytes) => {
    expect(await answer({ 'x-large': 'x'.repeat(bytes) })).toEqual([200, 'xxx']);
  },
);

test('more headers than the host accepts are still bounded', async () => {
  expect(await answer({ 'x-large': 'x'.repeat(50_000) })).toEqual([431, '']);
});

test.each(['more', 'x100-continue'])('the expectation %s reaches its invocation', async (expectation) => {
  expect(await answer({ expect: expectation, 'x-large': 'abcd' })).toEqual([200, 'abc']);
});

test('the limits of a server that has its own are left alone', async () => {
  const server = new Server({ maxHeaderSize: 1_000 }, (_, response) => response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(server.listenerCount('checkExpectation')).toBe(0);
  expect(server).toMatchObject({ maxHeaderSize: 1_000 });
  server.close();
});
