import { channel } from 'node:diagnostics_channel';
import {
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import { Server } from 'node:net';
import { Writable } from 'node:stream';
import type { ProgrammingModel } from './core-types.ts';
import { endAnswer } from './http-body.ts';
import type { RequestTarget } from './http-messages.ts';
import { type Refuse, refuseBody } from './refusal.ts';

/**
 * In stream mode the host forwards each request to an HTTP server of the worker, which the programming model creates.
 * Here both are in one process, so requests are passed to that server without a socket, and no port is opened.
 */
type WorkerServer = HttpServer;

let made: Promise<WorkerServer | undefined> | undefined;

/**
 * Returns the server, or undefined outside stream mode. Asking creates it, so this happens once per process, as in
 * the worker.
 */
export function workerServerOf(model: ProgrammingModel): Promise<WorkerServer | undefined> {
  made ??= makeServer(model);
  return made;
}

async function makeServer(model: ProgrammingModel): Promise<WorkerServer | undefined> {
  const { listen } = Server.prototype;
  let server: WorkerServer | undefined;
  Server.prototype.listen = function (this: WorkerServer, ...given: unknown[]) {
    server = this;
    // The model waits for a port. Any port will do.
    this.address = () => ({ address: '127.0.0.1', family: 'IPv4', port: 1 });
    for (const each of given) if (typeof each === 'function') each();
    return this;
  };
  let asked: ReturnType<NonNullable<ProgrammingModel['getCapabilities']>> | undefined;
  try {
    // The model calls `listen` synchronously, so that other servers of this process are not affected.
    asked = model.getCapabilities?.({});
  } finally {
    Server.prototype.listen = listen;
  }
  const { HttpUri } = (await asked) ?? {};
  if (HttpUri !== undefined && server === undefined) {
    throw new Error('The programming model streams in a way that this host does not support.');
  }
  return server;
}

/** The worker's side of a response. Writes are forwarded to the client with back-pressure. */
class WorkerResponse extends Writable {
  statusCode = 200;
  readonly #headers: Record<string, string | string[]> = {};
  readonly #client: ServerResponse;
  readonly #dropBody: () => void;
  #isReplaced = false;

  /** @param dropBody called when the response is complete and nobody reads the rest of the request */
  constructor(client: ServerResponse, dropBody: () => void) {
    super();
    this.#client = client;
    this.#dropBody = dropBody;
    client.once('close', () => this.destroy());
  }

  setHeader(name: string, value: string | string[]): void {
    validateHeaderName(name);
    for (const each of [value].flat()) validateHeaderValue(name, each);
    this.#headers[name] = value;
  }

  /**
   * Responds in place of the worker, unless the worker has responded. A response that broke off is cut off, so that
   * it does not look complete. Further output of the worker is dropped.
   */
  replace(answer: (client: ServerResponse) => void): void {
    const isAnswered = this.writableFinished || (this.writableEnded && !this.destroyed);
    if (this.#isReplaced || isAnswered) return;
    this.#isReplaced = true;
    this.destroy();
    if (this.#client.headersSent) this.#client.destroy();
    else if (!this.#client.destroyed) answer(this.#client);
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    this.#begin();
    if (this.#client.write(chunk)) done();
    else this.#client.once('drain', done);
  }

  override _final(done: () => void): void {
    this.#begin();
    this.#dropBody();
    endAnswer(this.#client);
    done();
  }

  #begin(): void {
    if (!this.#client.headersSent) this.#client.writeHead(this.statusCode, this.#headers);
  }
}

/** Streams the body up to the limit. Beyond it, calls `refuse` and passes an error to the reader. */
async function* boundedBody(
  request: IncomingMessage,
  maxBytes: number,
  refuse: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > maxBytes) break;
      yield chunk;
    }
  } finally {
    // Discards the rest, because a client that cannot continue to send might not read the response. Not immediately,
    // because Node first needs a turn to notice that the iteration has ended.
    setImmediate(() => request.resume());
  }
  if (size > maxBytes) {
    refuse();
    throw new Error('The request body is too large.');
  }
}

/** Node's announcement of a request from a socket. Functions get their response only through it. */
const ANNOUNCEMENT = channel('http.server.request.start');

/** A request on its way to the worker. */
type Passed = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: RequestTarget;
  readonly invocationId: string;
  readonly maxBodyBytes: number;
  readonly refuse: Refuse;
};

/**
 * Passes a request to the worker's server, where the invocation finds it. `replace` is called when the invocation has
 * ended, and answers unless the worker has done so.
 */
export type HandOver = (passed: Passed) => { replace(answer: (client: ServerResponse) => void): void };

/** To a server in this process. There is no response before the invocation ends. */
export const handOverTo =
  (worker: WorkerServer): HandOver =>
  ({ request, response: client, target, invocationId, maxBodyBytes, refuse }) => {
    const body = boundedBody(request, maxBodyBytes, () =>
      response.replace((client) => refuseBody(client, refuse)),
    );
    const response = new WorkerResponse(client, () => void body.return());
    const handed = {
      method: request.method,
      url: target.path + target.query,
      // The headers of the client come with the invocation.
      headers: {
        'x-forwarded-host': target.host,
        'x-forwarded-proto': 'http',
        'x-ms-invocation-id': invocationId,
      },
      // The host talks to the worker from this machine.
      socket: { remoteAddress: '127.0.0.1' },
      [Symbol.asyncIterator]: () => body,
    };
    ANNOUNCEMENT.publish({ request: handed, response, server: worker, socket: handed.socket });
    worker.emit('request', handed as unknown as IncomingMessage, response as unknown as ServerResponse);
    return response;
  };
