import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request as it goes over the wire. */
export type WireRequest = {
  /** The parts are sent one after the other, with a moment between them. */
  readonly parts: readonly (string | Uint8Array)[];
  /** The client disconnects after the last part and does not wait for the answer. */
  readonly leaves?: true;
};

export type WireAnswer = { status: number; headers: Record<string, string>; body: string };

const PAUSE_MS = 50;
const PATIENCE_MS = 20_000;

/** Sends a request and reads until the server closes. @returns null if the client went away, or nothing came */
export async function exchange(url: string, { parts, leaves }: WireRequest): Promise<WireAnswer | null> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  for (const [index, part] of parts.entries()) {
    if (index > 0) await sleep(PAUSE_MS);
    if (!socket.destroyed) socket.write(part);
  }
  if (leaves) {
    await sleep(PAUSE_MS);
    socket.destroy();
    return null;
  }
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  if (!socket.closed) await once(socket, 'close');
  return parseAnswer(Buffer.concat(chunks));
}

/** The last answer: one before it may have said to continue. */
function parseAnswer(bytes: Buffer): WireAnswer | null {
  let text = bytes.toString('latin1');
  while (text.startsWith('HTTP/1.1 100')) text = text.slice(text.indexOf('\r\n\r\n') + 4);
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(line)?.[1];
  if (status === undefined) return null;
  const headers: Record<string, string> = {};
  for (const each of lines) {
    const colon = each.indexOf(':');
    const name = each.slice(0, colon).toLowerCase();
    headers[name] =
      `${headers[name] === undefined ? '' : `${headers[name]}\n`}${each.slice(colon + 1).trim()}`;
  }
  const body = text.slice(end + 4);
  return {
    status: Number(status),
    headers,
    body: Buffer.from(
      headers['transfer-encoding'] === 'chunked' ? unchunked(body) : body,
      'latin1',
    ).toString(),
  };
}

/** An answer that breaks off keeps a mark of it. */
function unchunked(body: string): string {
  let whole = '';
  for (let rest = body; ; ) {
    const end = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.slice(0, end), 16);
    if (end < 0 || Number.isNaN(size)) return `${whole}<cut>`;
    if (size === 0) return whole;
    whole += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 4 + size);
  }
}

/** Whose session a request is sent in. */
export type Session = { readonly cookie: string; readonly csrfToken: string };

export type Request = {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** A whole request, of which the server closes the connection. */
export const wire = ({ method, target, headers = {}, body }: Request): WireRequest => ({
  parts: [
    `${[
      `${method} ${target} HTTP/1.1`,
      'Host: governance.example',
      'Connection: close',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(body === undefined
        ? []
        : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ].join('\r\n')}\r\n\r\n${body ?? ''}`,
  ],
});
