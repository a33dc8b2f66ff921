import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Certificate } from './certificate.ts';

export type Incoming = { method: string; url: string; headers: Record<string, string>; body: string };

export type Listener = { origin: string; close(): Promise<void> };

/** A server on loopback. With a certificate it speaks TLS. */
export async function listen(
  answer: (incoming: Incoming, response: ServerResponse) => Promise<void>,
  certificate: Certificate | null,
  port = 0,
): Promise<Listener> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    try {
      const body = await text(request);
      await answer({ method: request.method ?? 'GET', url: request.url ?? '/', headers, body }, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
    }
  };
  const server = certificate === null ? createServer(handle) : createSecureServer(certificate, handle);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const scheme = certificate === null ? 'http' : 'https';
  return {
    origin: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
