import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import { pipeline } from 'node:stream';
import { refuseBody } from './http-body.ts';
import { isHopByHop, type RequestTarget, writeEmpty } from './http-messages.ts';

/** Longest silence between host and worker, either way; the host's own bound. */
const ACTIVITY_TIMEOUT_MS = 240_000;

export type Forwarded = {
  /** Resolves when the exchange has ended, however it did. */
  readonly done: Promise<void>;
  /** Ends the exchange when no answer has begun. @returns whether it did: the caller then owes the answer. */
  abandon(): boolean;
};

export type HttpProxy = {
  forward(
    request: IncomingMessage,
    response: ServerResponse,
    target: RequestTarget,
    invocationId: string,
  ): Forwarded;
  close(): void;
};

/** Passes the request body on, at the worker's pace. Not a pipeline: that would destroy a socket we still answer on. */
function sendBody(
  request: IncomingMessage,
  worker: ClientRequest,
  maxBytes: number,
  onTooLarge: () => void,
): void {
  let size = 0;
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) {
      request.off('data', onData).off('end', onEnd);
      onTooLarge();
    } else if (!worker.write(chunk)) {
      request.pause();
      worker.once('drain', () => request.resume());
    }
  };
  const onEnd = () => worker.end();
  request.on('data', onData).on('end', onEnd);
}

function requestHeaders(request: IncomingMessage, target: RequestTarget, invocationId: string) {
  const headers: Record<string, string | string[]> = {};
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    // `expect` was answered by this server; the worker must not be asked again.
    if (values !== undefined && !isHopByHop(name) && name !== 'host' && name !== 'expect') {
      headers[name] = name === 'cookie' ? values.join('; ') : values;
    }
  }
  headers['x-forwarded-host'] = target.host;
  headers['x-forwarded-proto'] = 'http';
  headers['x-ms-invocation-id'] = invocationId;
  return headers;
}

function copyResponseHead(from: IncomingMessage, to: ServerResponse): void {
  const headers: Record<string, string[]> = {};
  for (const [name, values] of Object.entries(from.headersDistinct)) {
    if (values !== undefined && !isHopByHop(name)) headers[name] = values;
  }
  to.writeHead(from.statusCode ?? 502, headers);
}

/** Forwards requests to the worker's own server at `workerUri`, both bodies as streams. */
export function createHttpProxy(workerUri: string, maxBodyBytes: number): HttpProxy {
  const { hostname, port } = new URL(workerUri);
  const agent = new Agent({ keepAlive: true, timeout: ACTIVITY_TIMEOUT_MS });

  function forward(
    request: IncomingMessage,
    response: ServerResponse,
    target: RequestTarget,
    invocationId: string,
  ): Forwarded {
    let answered = false;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const worker: ClientRequest = send({
      agent,
      hostname,
      port,
      method: request.method,
      path: target.path + target.query,
      headers: requestHeaders(request, target, invocationId),
      timeout: ACTIVITY_TIMEOUT_MS,
    });

    /** Whether the caller of this may still answer; from then on nobody else may. */
    const claim = () => {
      const free = !answered;
      answered = true;
      return free;
    };

    worker.on('timeout', () => worker.destroy(new Error('The worker was silent for too long.')));
    worker.on('error', () => {
      if (claim() && !response.destroyed) writeEmpty(response, 502);
    });
    worker.on('close', resolve);
    worker.on('response', (answer) => {
      if (!claim()) {
        answer.destroy();
        return;
      }
      copyResponseHead(answer, response);
      // An answer cut short must not look complete to the client: pipeline destroys the socket under it.
      pipeline(answer, response, () => undefined);
    });
    // The client went away: the function sees its request body end in an error and its answer go nowhere.
    response.on('close', () => {
      if (!response.writableFinished) worker.destroy();
    });
    sendBody(request, worker, maxBodyBytes, () => {
      if (claim()) refuseBody(request, response);
      worker.destroy();
    });

    return {
      done,
      abandon() {
        const free = claim();
        if (free) worker.destroy();
        return free;
      },
    };
  }

  return { forward, close: () => agent.destroy() };
}
