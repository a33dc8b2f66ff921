import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { authorityAnswer } from '../../test/support/authority.ts';
import { type Tally, type ThrottledSource, throttledSource } from '../../test/support/throttled-source.ts';

/** Stands for Graph, which throttles at a fixed rate, and for the authority, which does not. */
export async function startThrottlingServer(
  source: ThrottledSource,
): Promise<{ origin: string; tally(): Tally; stop(): Promise<void> }> {
  const allows = throttledSource(source);
  const tally: Tally = { accepted: 0, refused: 0 };
  let origin = '';
  const answer = (url: string): { status: number; body: object } => {
    const body = authorityAnswer(origin, url, 'bench');
    if (body !== undefined) return { status: 200, body };
    const isAllowed = allows(performance.now());
    tally[isAllowed ? 'accepted' : 'refused']++;
    return isAllowed
      ? { status: 200, body: {} }
      : { status: 429, body: { error: { code: 'TooManyRequests' } } };
  };
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => {
      const { status, body } = answer(request.url ?? '');
      response.setHeader('content-type', 'application/json');
      if (status === 429 && source.retryAfterMs !== null)
        response.setHeader('retry-after', Math.ceil(source.retryAfterMs / 1_000));
      response.writeHead(status);
      response.end(JSON.stringify(body));
    }, source.latencyMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    tally: () => ({ ...tally }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
