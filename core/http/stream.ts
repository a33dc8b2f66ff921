import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

const INVOCATION_HEADER = 'x-ms-invocation-id';
/** A client that takes nothing for so long is given up, or it would hold what is kept for it for good. */
const STALLED_MS = 60_000;
const THIS_MACHINE = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Responses that are not finished, by invocation. Where answers may be streamed, the Functions host passes requests on to
 * an HTTP server of the worker, which the programming model starts. It writes what it is given without asking whether
 * anybody takes it, and does not learn of a client that went away. Node tells both of the response itself, which it
 * announces on a diagnostics channel.
 */
const responses = new Map<string, ServerResponse>();

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const id = request.headers[INVOCATION_HEADER];
  if (typeof id !== 'string') return;
  // The worker's server listens on every interface, yet only the host has something to say to it.
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

/** Parts of an answer's text, made as they are asked for. */
export type TextStream = AsyncIterable<string>;

/**
 * The parts as bytes, each asked for when the client has taken what came before. They end early when the client is gone;
 * where one cannot be made the connection is cut, so that no client takes the answer for whole, and `onFailure` is told.
 * The first part is there when this resolves: where that one fails it rejects, and an error can be answered still.
 */
export async function streamed(
  invocationId: string,
  parts: TextStream,
  onFailure: (error: unknown) => void,
): Promise<AsyncIterable<Uint8Array>> {
  const response = responses.get(invocationId);
  if (response === undefined) throw new Error('The host does not stream');
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

/** Whether the client takes more: at once, or when it has room for it, unless that takes too long. */
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
