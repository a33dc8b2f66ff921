import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export type TlsServer = { url: string; close(): Promise<void> };

/** Serves https on loopback with a certificate and a listener. */
export async function startTlsServer(
  certificate: { cert: string; key: string },
  listener: RequestListener,
): Promise<TlsServer> {
  const server = createServer(certificate, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A proxy that ends TLS before a service: it passes on what it gets. */
export const passingOnTo =
  (service: string): RequestListener =>
  (request, response) => {
    void (async () => {
      const answer = await fetch(new URL(request.url ?? '/', service), { method: request.method ?? 'GET' });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(await answer.text());
    })();
  };
