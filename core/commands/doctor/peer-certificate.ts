import { once } from 'node:events';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Server } from './database-server.ts';
import { reasonOf } from './reason.ts';

export type PeerCertificate = {
  /** Milliseconds. */
  expiresAt: number;
  /** Why Node does not trust it for this host, as a code; null if it does. */
  distrust: string | null;
};

/** SSLRequest of the Postgres protocol: its length, and the code 1234 5679. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const WILLING = 'S'.charCodeAt(0);

/**
 * The certificate that a server shows, trusted or not. Null if the server has none. Throws if it cannot be reached.
 * @param protocol what is spoken before TLS begins
 */
export async function peerCertificate(
  { host, port }: Server,
  protocol: 'https' | 'postgres',
  signal: AbortSignal,
): Promise<PeerCertificate | null> {
  const socket = connectSocket({ host, port });
  let secure: TLSSocket | undefined;
  try {
    await once(socket, 'connect', { signal });
    if (protocol === 'postgres' && !(await isWilling(socket, signal))) return null;
    secure = connectTls({
      socket,
      host,
      // What is not trusted is to be looked at too. Nothing is sent.
      rejectUnauthorized: false,
      ...(isIP(host) === 0 && { servername: host }),
    });
    await once(secure, 'secureConnect', { signal });
    const certificate = secure.getPeerX509Certificate();
    if (certificate === undefined) return null;
    const distrust = secure.authorized ? null : distrustOf(secure.authorizationError);
    return { expiresAt: certificate.validToDate.getTime(), distrust };
  } finally {
    secure?.destroy();
    socket.destroy();
  }
}

async function isWilling(socket: Socket, signal: AbortSignal): Promise<boolean> {
  socket.write(SSL_REQUEST);
  const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
  return answer[0] === WILLING;
}

/** Node gives the code alone, and the types say that it is an error. */
const distrustOf = (code: unknown): string => reasonOf(Object.assign(new Error(), { code }));
