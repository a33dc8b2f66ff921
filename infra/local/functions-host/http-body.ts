import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a refused upload is read and discarded, so that its sender receives the refusal. */
const LINGER_MS = 2000;

export type BodyResult =
  | { readonly kind: 'complete'; readonly bytes: Buffer | undefined }
  | { readonly kind: 'tooLarge' }
  | { readonly kind: 'gone' };

/** The declared length in bytes, or undefined if the body is chunked or absent. */
function announcedLength(request: IncomingMessage): number | undefined {
  const text = request.headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

export const hasBody = (request: IncomingMessage) =>
  (announcedLength(request) ?? 0) > 0 || request.headers['transfer-encoding'] !== undefined;

export const announcesTooMuch = (request: IncomingMessage, maxBytes: number) =>
  (announcedLength(request) ?? 0) > maxBytes;

/** Reads a body of at most `maxBytes`. Returns undefined for an empty one. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<BodyResult> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (result: BodyResult) => {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) finish({ kind: 'tooLarge' });
      else chunks.push(chunk);
    };
    const onEnd = () =>
      finish({ kind: 'complete', bytes: chunks.length === 1 ? chunks[0] : joined(chunks, size) });
    const onGone = () => finish({ kind: 'gone' });
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  });
}

const joined = (chunks: readonly Buffer[], size: number) =>
  size === 0 ? undefined : Buffer.concat(chunks, size);

/**
 * Ends a response. If that closes the connection, first discards the rest of the body for a moment. Closing a socket
 * with unread bytes resets it, and the sender would see the reset in place of the response.
 */
export function endAnswer(response: ServerResponse, body = ''): void {
  const { req: request } = response;
  if (request.complete || response.shouldKeepAlive) {
    response.end(body);
    return;
  }
  if (body === '') response.flushHeaders();
  else response.write(body);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.on('error', end).on('close', end).on('end', end);
  request.resume();
}
