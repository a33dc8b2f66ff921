import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingHttpHeaders, request as send } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { HandOver } from '../../infra/local/functions-host/worker-server.ts';

/** What belongs to one connection (RFC 9110, section 7.6.1). */
const OF_ONE_CONNECTION = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The answer of the worker may arrive after the end of its invocation. */
const ANSWER_LAG_MS = 2_000;

const passedOn = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_CONNECTION.has(name)));

/** Resolves when the head of a request has been sent. */
async function arrived(request: ClientRequest): Promise<void> {
  const socket = request.socket ?? ((await once(request, 'socket')) as [Socket])[0];
  if (socket.connecting) await once(socket, 'connect');
  await setImmediate();
}

/** Forwards requests to the HTTP server of a worker, as the Functions host does. */
export function forwardTo(httpUri: string): HandOver {
  const { hostname: host, port } = new URL(httpUri);
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  return ({ request, response: client, target, invocationId }) => {
    const upstream = send({
      host,
      port,
      agent,
      method: request.method,
      path: target.path + target.query,
      headers: {
        ...passedOn(request.headers),
        ...(request.headers['transfer-encoding'] && { 'transfer-encoding': 'chunked' }),
        'x-forwarded-host': target.host,
        'x-forwarded-proto': 'http',
        'x-ms-invocation-id': invocationId,
      },
    });
    let isAnswered = false;
    upstream.once('response', (answer) => {
      isAnswered = true;
      if (client.headersSent || client.destroyed) return void answer.destroy();
      client.writeHead(answer.statusCode ?? 500, passedOn(answer.headers));
      pipeline(answer, client, () => undefined);
    });
    // The invocation tells what becomes of a request that the worker's server refuses or drops.
    upstream.on('error', () => undefined);
    upstream.flushHeaders();
    request.pipe(upstream);
    // A client that leaves: the worker hears of it after it has heard of the request, which its invocation waits for.
    client.once('close', () => void arrived(upstream).then(() => upstream.destroy()));
    return {
      replace(answer) {
        const late = setTimeout(() => {
          if (!isAnswered && !client.headersSent && !client.destroyed) answer(client);
        }, ANSWER_LAG_MS);
        upstream.once('response', () => clearTimeout(late));
        client.once('close', () => clearTimeout(late));
      },
    };
  };
}
