import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that accepts connections, reads what it is sent, and never answers. */
export async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.resume();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /** Connections that were made so far. */
    connections: () => sockets.size,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The connection string of a storage account at a port of this machine. */
export const storageAt = (port: number): string => {
  const account = `http://127.0.0.1:${port}/devstoreaccount1`;
  const key = Buffer.from('a key that nobody checks').toString('base64');
  return (
    `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key};` +
    `QueueEndpoint=${account};TableEndpoint=${account}`
  );
};
