import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A free loopback port: the preferred one if it is free, otherwise any. 0 means no preference. */
export function freePort(preferred: number): Promise<number> {
  return tryPort(preferred).catch(() => tryPort(0));
}

/** Throws if the port cannot be listened on, with a message for the person who chose it. Never throws for 0. */
export async function refusePort(port: number): Promise<void> {
  await tryPort(port).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      code === 'EADDRINUSE'
        ? `Port ${port} is already in use: end what uses it, or choose another one with --port.`
        : `The service cannot listen on port ${port} (${code}): choose another one with --port.`,
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
