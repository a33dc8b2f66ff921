import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A loopback port that is free now: the preferred one if it is, else any. 0 prefers none. */
export async function freePort(preferred: number): Promise<number> {
  return (
    (await tryPort(preferred)) ?? (await tryPort(0)) ?? Promise.reject(new Error('No loopback port is free'))
  );
}

async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
