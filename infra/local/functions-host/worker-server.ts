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
 * In stream mode the host passes each request on to an HTTP server of the worker, which the programming model makes.
 * Here host and worker are one process, so requests are handed to that server without a socket, and no port is opened.
 */
export type WorkerServer = HttpServer;

let made: Promise<WorkerServer | undefined> | undefined;

/** The server, or undefined outside stream mode. It is made by asking, so that is done once for the process, as in the worker. */
export function workerServerOf(model: ProgrammingModel): Promise<WorkerServer | undefined> {
  made ??= makeServer(model);
  return made;
}

async function makeServer(model: ProgrammingModel): Promise<WorkerServer | undefined> {
  const { listen } = Server.prototype;
  let server: WorkerServer | undefined;
  Server.prototype.listen = function (this: WorkerServer, ...given: unknown[]) {
    server = this;
    // A port is what the model waits for, and any will do.
    this.address = () => ({ address: '127.0.0.1', family: 'IPv4', port: 1 });
    for (const each of given) if (typeof each === 'function') each();
    return this;
  };
  let asked: ReturnType<NonNullable<ProgrammingModel['getCapabilities']>> | undefined;
  try {
    // It listens before it first waits; whatever else this process has to listen with is left alone.
    asked = model.getCapabilities?.({});
  } finally {
    Server.prototype.listen = listen;
  }
  const { HttpUri } = (await asked) ?? {};
  if (HttpUri !== undefined && server === undefined) {
    throw new Error('The programming model streams in a way that this host does not know.');
  }
  return server;
}

/** The worker's side of an answer: what is written here reaches the client at the pace of the client. */
class WorkerResponse extends Writable {
  statusCode = 200;
  readonly #headers: Record<string, string | string[]> = {};
  readonly #client: ServerResponse;
  readonly #dropBody: () => void;
  #isReplaced = false;

  /** @param dropBody called when the answer is whole and nobody waits for the rest of the request */
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
   * Answers in the worker's place, unless that has answered; one that broke off in mid-answer is cut off, so that it
   * does not look complete. What the worker writes from then on goes nowhere.
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

/** The body as it comes and no more of it than allowed: beyond that `refuse` is called and the reader gets an error. */
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
    // The rest is thrown away: a client that cannot go on sending might not come to read the answer. Not at once, since
    // Node needs a turn to see that the iteration has ended, and until then asking for more has no effect.
    setImmediate(() => request.resume());
  }
  if (size > maxBytes) {
    refuse();
    throw new Error('The request body is larger than the host takes.');
  }
}

/** What Node says of a request that came over a socket; it is the only word that a function gets of its response. */
const ANNOUNCEMENT = channel('http.server.request.start');

/** Hands a request to the worker's server, to be found there by the invocation. Nothing has been answered before that ends. */
export function handOver(
  worker: WorkerServer,
  request: IncomingMessage,
  client: ServerResponse,
  target: RequestTarget,
  invocationId: string,
  maxBodyBytes: number,
  refuse: Refuse,
): WorkerResponse {
  const body = boundedBody(request, maxBodyBytes, () =>
    response.replace((client) => refuseBody(client, refuse)),
  );
  const response = new WorkerResponse(client, () => void body.return());
  const handed = {
    method: request.method,
    url: target.path + target.query,
    // Those that the client sent come with the invocation.
    headers: {
      'x-forwarded-host': target.host,
      'x-forwarded-proto': 'http',
      'x-ms-invocation-id': invocationId,
    },
    // The host is who speaks to the worker, from this machine.
    socket: { remoteAddress: '127.0.0.1' },
    [Symbol.asyncIterator]: () => body,
  };
  ANNOUNCEMENT.publish({ request: handed, response, server: worker, socket: handed.socket });
  worker.emit('request', handed as unknown as IncomingMessage, response as unknown as ServerResponse);
  return response;
}
