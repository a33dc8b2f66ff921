import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { endAnswer } from './http-body.ts';

/** A response of the host without a function. */
export type Refusal = {
  readonly status: number;
  /** The `x-svc-correlation` header of the caller. */
  readonly correlationId: string | null;
};

export type RefusalAnswer = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/**
 * Writes the body of a refusal. Without it, or if it returns null, the response is a bare status, as in the Functions
 * host.
 */
export type RefusalWriter = (refusal: Refusal) => RefusalAnswer | null;

export type Refuse = (response: ServerResponse, status: number, headers?: Record<string, string>) => void;

const BARE: RefusalAnswer = { headers: {}, body: '' };

/** Responds in the host's name to a request that was read. */
export const refuseWith =
  (writer: RefusalWriter): Refuse =>
  (response, status, headers = {}) => {
    const said = writer({ status, correlationId: correlationOf(response.req) }) ?? BARE;
    response.writeHead(status, {
      ...said.headers,
      ...headers,
      'content-length': Buffer.byteLength(said.body),
    });
    endAnswer(response, said.body);
  };

/** Responds with a 413 and closes the connection. */
export function refuseBody(response: ServerResponse, refuse: Refuse): void {
  response.shouldKeepAlive = false;
  refuse(response, 413);
}

const correlationOf = ({ headers }: IncomingMessage): string | null => {
  const given = headers['x-svc-correlation'];
  return typeof given === 'string' ? given : null;
};

/** The statuses and phrases that Node uses for invalid requests. */
const UNREADABLE: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** Responds to a request that could not be parsed, and closes the connection. */
export function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  isAnswering: boolean,
  writer: RefusalWriter,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const [status, phrase] = UNREADABLE[error.code ?? ''] ?? [400, 'Bad Request'];
  const { headers, body } = writer({ status, correlationId: null }) ?? BARE;
  const lines = Object.entries({
    ...headers,
    'content-length': `${Buffer.byteLength(body)}`,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${phrase}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}
