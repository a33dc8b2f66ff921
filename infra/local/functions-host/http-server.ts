import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RpcTypedData } from './core-types.ts';
import type { HttpFunction } from './function-metadata.ts';
import { announcesTooMuch, hasBody, readBody } from './http-body.ts';
import {
  joinHeaders,
  joinQuery,
  parseTarget,
  type RequestTarget,
  traceContextOf,
  writeRpcResponse,
} from './http-messages.ts';
import type { Invoker } from './invoker.ts';
import { type RefusalWriter, type Refuse, refuseBody, refuseUnreadable, refuseWith } from './refusal.ts';
import { createRouter } from './router.ts';
import type { HandOver } from './worker-server.ts';

/** Limits of the HTTP listener, in milliseconds and bytes. */
export type HttpLimits = {
  /** Larger request bodies get a 413. */
  readonly maxRequestBodyBytes: number;
  /** Time to send all headers, and time to send the whole request. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** The longest pause on a connection with a running request. */
  readonly idleTimeoutMs: number;
  readonly maxConnections: number;
};

/** The documented values of the Functions host, where there are any. */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  maxRequestBodyBytes: 104_857_600,
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 300_000,
  keepAliveTimeoutMs: 75_000,
  idleTimeoutMs: 240_000,
  maxConnections: 10_000,
};

const MAX_HEADER_BYTES = 32_768;
const STOP_SWEEP_MS = 50;

export type HttpListener = {
  readonly port: number;
  /** Stops accepting requests. Running ones may finish. Resolves when every connection has ended. */
  stop(): Promise<void>;
  /** Closes the remaining connections. */
  abort(): void;
};

export type HttpListenerOptions = {
  readonly host: string;
  readonly port: number;
  readonly functions: readonly HttpFunction[];
  readonly invoker: Invoker;
  readonly limits: HttpLimits;
  /** With more running requests, the answer is a 429. -1 means no limit. */
  readonly maxOutstandingRequests: number;
  /** Passes requests to the HTTP server of the worker. Undefined outside stream mode. */
  readonly handOver: HandOver | undefined;
  /** Writes the bodies of refusals. */
  readonly refusal: RefusalWriter;
};

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: RequestTarget;
  readonly served: HttpFunction;
  readonly params: Record<string, string>;
};

/** The function failed. The caller must not learn why. */
function writeFailure(response: ServerResponse, refuse: Refuse): void {
  if (response.headersSent) response.destroy();
  else refuse(response, 500);
}

/** Passes the whole request to the invocation and returns its whole response. */
async function serveBuffered(
  exchange: Exchange,
  invoker: Invoker,
  maxBytes: number,
  refuse: Refuse,
): Promise<void> {
  const { request, response, target, served, params } = exchange;
  const headers = joinHeaders(request.rawHeaders);
  let body: RpcTypedData | undefined;
  if (hasBody(request)) {
    const read = await readBody(request, maxBytes);
    if (read.kind === 'tooLarge') return refuseBody(response, refuse);
    if (read.kind === 'gone') return;
    if (read.bytes !== undefined) body = { bytes: read.bytes };
  }
  const trace = traceContextOf(headers);
  const { returnValue } = await invoker.invoke(served, {
    data: {
      http: {
        method: request.method ?? 'GET',
        url: `http://${target.host}${target.path}${target.query}`,
        headers,
        query: joinQuery(target.query),
        params,
        ...(body === undefined ? {} : { body }),
      },
    },
    ...(trace === undefined ? {} : { traceContext: trace }),
  });
  if (!response.destroyed) writeRpcResponse(response, returnValue?.http);
}

/**
 * The worker serves the request itself. The invocation has parameters and headers, and the worker's server has both
 * bodies.
 */
async function serveStreamed(
  exchange: Exchange,
  invoker: Invoker,
  handOver: HandOver,
  maxBodyBytes: number,
  refuse: Refuse,
): Promise<void> {
  const { request, response, target, served, params } = exchange;
  const headers = joinHeaders(request.rawHeaders);
  const triggerMetadata: Record<string, RpcTypedData> = {};
  for (const [name, value] of Object.entries(params)) triggerMetadata[name] = { string: value };
  triggerMetadata.Headers = { json: JSON.stringify(headers) };
  triggerMetadata.Query = { json: JSON.stringify(joinQuery(target.query)) };
  const invocationId = randomUUID();
  const answer = handOver({ request, response, target, invocationId, maxBodyBytes, refuse });
  const trace = traceContextOf(headers);
  // The invoker reports failures. The worker responds before the invocation ends. If a function returned nothing, it
  // has not responded, and in the Functions host the caller would wait in vain.
  await invoker
    .invoke(served, {
      invocationId,
      data: { http: {} },
      triggerMetadata,
      ...(trace === undefined ? {} : { traceContext: trace }),
    })
    .catch(() => undefined);
  answer.replace((client) => refuse(client, 500));
}

/** Starts listening. @throws Error if the port is in use */
export async function startHttpListener(options: HttpListenerOptions): Promise<HttpListener> {
  const { invoker, limits, maxOutstandingRequests, handOver } = options;
  const refuse = refuseWith(options.refusal);
  const router = createRouter(
    options.functions.map((served) => ({
      name: served.name,
      methods: served.methods,
      template: served.route,
      target: served,
    })),
  );
  let outstanding = 0;
  const answering = new WeakSet<object>();
  const note = ({ socket }: IncomingMessage, response: ServerResponse) => {
    answering.add(socket);
    response.once('close', () => answering.delete(socket));
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = parseTarget(request);
    if (target === undefined) return refuse(response, 400);
    const match = router.match(request.method ?? '', target.path);
    switch (match.kind) {
      case 'malformed':
        return refuse(response, 400);
      case 'notFound':
        return refuse(response, 404);
      case 'wrongMethod':
        // The Functions host answers 404 here. The status 405 is more helpful to a developer.
        return refuse(response, 405, { allow: match.allow.join(', ') });
    }
    if (announcesTooMuch(request, limits.maxRequestBodyBytes)) return refuseBody(response, refuse);
    const exchange = { request, response, target, served: match.target, params: match.params };
    return handOver === undefined
      ? serveBuffered(exchange, invoker, limits.maxRequestBodyBytes, refuse)
      : serveStreamed(exchange, invoker, handOver, limits.maxRequestBodyBytes, refuse);
  }

  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(5000, limits.headersTimeoutMs, limits.requestTimeoutMs),
    },
    (request, response) => {
      note(request, response);
      if (maxOutstandingRequests >= 0 && outstanding >= maxOutstandingRequests) {
        refuse(response, 429);
        return;
      }
      outstanding += 1;
      serve(request, response)
        .catch(() => writeFailure(response, refuse))
        .finally(() => {
          outstanding -= 1;
        });
    },
  );
  server.on('checkExpectation', (request, response) => {
    note(request, response);
    refuse(response, 417);
  });
  server.on('clientError', (error, socket) =>
    refuseUnreadable(error, socket, answering.has(socket), options.refusal),
  );
  server.timeout = limits.idleTimeoutMs;
  server.maxConnections = limits.maxConnections;
  await listen(server, options.host, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      // A connection whose response has just ended would otherwise stay open for its keep-alive time.
      const sweep = setInterval(() => server.closeIdleConnections(), STOP_SWEEP_MS);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearInterval(sweep);
    },
    abort: () => server.closeAllConnections(),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${port} is already in use; choose another one.`, { cause: error })
          : error,
      );
    });
    server.listen({ host, port }, () => {
      server.removeAllListeners('error');
      // Errors of single connections are handled elsewhere.
      server.on('error', () => undefined);
      resolve();
    });
  });
}
