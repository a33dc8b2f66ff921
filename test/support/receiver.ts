import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Received = { method: string; url: string; headers: IncomingHttpHeaders; text: string };

/** A server on loopback that keeps what it receives and answers as the test says. */
export async function startReceiver(answer: (response: ServerResponse) => unknown) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    let text = '';
    for await (const chunk of request) text += chunk;
    received.push({ method, url, headers, text });
    answer(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    received,
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  };
}
