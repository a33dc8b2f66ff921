import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

const INVOCATION_HEADER = 'x-ms-invocation-id';
/** A client that receives nothing for this long is disconnected, because it would hold resources for ever. */
const STALLED_MS = 60_000;
const THIS_MACHINE = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Unfinished responses by invocation. For streamed responses, the Functions host forwards requests to an HTTP server
 * in the worker, which the programming model starts. That server writes without backpressure and does not notice when
 * a client disconnects. The response object of Node reports both. Node publishes it on a diagnostics channel.
 */
const responses = new Map<string, ServerResponse>();

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const id = request.headers[INVOCATION_HEADER];
  if (typeof id !== 'string') return;
  // The worker's server listens on all interfaces, but only the host may call it.
  if (!THIS_MACHINE.has(request.socket.remoteAddress ?? '')) {
    delete request.headers[INVOCATION_HEADER];
    request.socket.destroy();
    return;
  }
  responses.set(id, response);
  response.once('close', () => {
    if (responses.get(id) === response) responses.delete(id);
  });
});

/** The parts of a response text. Each is created when it is requested. */
export type TextStream = AsyncIterable<string>;

/**
 * The parts as bytes. Each part is requested after the client has received the previous ones. The stream ends early
 * if the client disconnects. If a part fails, the connection is cut, so that no client takes the response for
 * complete, and `onFailure` is called. The first part is ready when this resolves. If that one fails, this rejects,
 * and an error response is still possible.
 */
export async function streamed(
  invocationId: string,
  parts: TextStream,
  onFailure: (error: unknown) => void,
): Promise<AsyncIterable<Uint8Array>> {
  const response = responses.get(invocationId);
  if (response === undefined) throw new Error('The host does not support streaming');
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  return paced(response, first, iterator, onFailure);
}

async function* paced(
  response: ServerResponse,
  first: IteratorResult<string>,
  rest: AsyncIterator<string>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  try {
    for (let part = first; part.done !== true; part = await rest.next()) {
      if (part.value !== '') yield encoder.encode(part.value);
      if (!(await isTaken(response))) return;
    }
  } catch (error) {
    onFailure(error);
    response.destroy();
  } finally {
    await rest.return?.();
  }
}

/** Waits until the client can receive more. Returns false if the client disconnected or took too long. */
async function isTaken(response: ServerResponse): Promise<boolean> {
  if (response.destroyed || !response.writableNeedDrain) return !response.destroyed;
  const settled = new AbortController();
  const stalled = setTimeout(() => response.destroy(), STALLED_MS);
  const events = [once(response, 'drain', settled), once(response, 'close', settled)];
  await Promise.race(events).catch(() => undefined);
  clearTimeout(stalled);
  settled.abort();
  await Promise.allSettled(events);
  return !response.destroyed;
}
