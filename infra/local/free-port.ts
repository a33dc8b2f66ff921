import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A loopback port that is free now: the preferred one if it is, else any. 0 prefers none. */
export function freePort(preferred: number): Promise<number> {
  return tryPort(preferred).catch(() => tryPort(0));
}

/** Throws an error for the person who chose the port when it cannot be listened on. 0 always can. */
export async function refusePort(port: number): Promise<void> {
  await tryPort(port).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      code === 'EADDRINUSE'
        ? `Port ${port} is already in use: end what uses it, or choose another one with --port.`
        : `Port ${port} cannot be listened on (${code}): choose another one with --port.`,
    );
  });
}

async function tryPort(port: number): Promise<number> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } finally {
    server.close();
  }
}
