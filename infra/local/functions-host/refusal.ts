import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { endAnswer } from './http-body.ts';

/** What the host answers without asking a function. */
export type Refusal = {
  readonly status: number;
  /** What the caller sent as `x-svc-correlation`. */
  readonly correlationId: string | null;
};

export type RefusalAnswer = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** What a refusal says; without one, or where it says null, it is a bare status, as of the Functions host. */
export type RefusalWriter = (refusal: Refusal) => RefusalAnswer | null;

export type Refuse = (response: ServerResponse, status: number, headers?: Record<string, string>) => void;

const BARE: RefusalAnswer = { headers: {}, body: '' };

/** Answers in the host's own name, to a request that was read. */
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

/** Answers 413 and ends the connection. */
export function refuseBody(response: ServerResponse, refuse: Refuse): void {
  response.shouldKeepAlive = false;
  refuse(response, 413);
}

const correlationOf = ({ headers }: IncomingMessage): string | null => {
  const given = headers['x-svc-correlation'];
  return typeof given === 'string' ? given : null;
};

/** The statuses that Node gives what it cannot read, and their phrases. */
const UNREADABLE: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** Answers what could not be read as a request, and ends the connection. */
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
