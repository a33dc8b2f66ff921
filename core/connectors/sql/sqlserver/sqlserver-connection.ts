import { connect as connectSocket, type Socket } from 'node:net';
import { Connection, Request, TYPES } from 'tedious';
import { throwIfAborted, untilAborted } from '../../abort.ts';
import { CATALOGUE_MS, CONNECT_MS, LOCK_MS, type SqlTarget } from '../engine.ts';
import { type Statement, sessionSettings } from './sqlserver.sql.ts';
import { NO_TLS, sqlServerError, sqlServerFailure } from './sqlserver-failure.ts';

export type Value = string | number | boolean | null;

/** One connection. Each call rejects with the error of the driver. */
export type SqlServerConnection = {
  rows<Row extends Readonly<Record<string, Value>>>(statement: Statement): Promise<Row[]>;
  /** Each row is passed on and not kept. The driver cancels the statement after `boundMs`. */
  each(statement: Statement, boundMs: number, onRow: (row: readonly Value[]) => void): Promise<void>;
  close(): void;
};

/** The driver names another one if the server sends it elsewhere. */
type Address = { host: string; port: number };

export async function openSqlServer(target: SqlTarget, signal: AbortSignal): Promise<SqlServerConnection> {
  throwIfAborted(signal);
  const connection = new Connection({
    server: target.host,
    authentication: { type: 'default', options: { userName: target.user, password: target.password } },
    options: {
      port: target.port,
      database: target.database,
      encrypt: target.tls,
      trustServerCertificate: false,
      cryptoCredentialsDetails: { minVersion: 'TLSv1.2' },
      connector: (to: Address = target) => connectTo(to, target.tls),
      connectTimeout: CONNECT_MS,
      requestTimeout: CATALOGUE_MS,
      cancelTimeout: 2_000,
      maxRetriesOnTransientErrors: 0,
      // Sends the session to a replica that only reads, where there is one.
      readOnlyIntent: true,
      enableArithAbort: true,
    },
  });
  let loginNumber: number | null = null;
  connection.on('errorMessage', ({ number }: { number: number }) => {
    loginNumber ??= number;
  });
  // A connection that breaks is noticed by its next call.
  connection.on('error', () => {});
  try {
    return await untilAborted(signal, () => begin(connection));
  } catch (error) {
    connection.close();
    const known = sqlServerError(error);
    throw known === null ? error : sqlServerFailure(known, loginNumber);
  }
}

async function begin(connection: Connection): Promise<SqlServerConnection> {
  const connected = Promise.withResolvers<void>();
  connection.connect((error) => (error ? connected.reject(error) : connected.resolve()));
  await connected.promise;

  const send = (
    { sql, values }: Statement,
    boundMs: number,
    onRow: (row: readonly { value: Value; metadata: { colName: string } }[]) => void,
  ): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const request = new Request(sql, (error) => (error ? reject(error) : resolve()));
    request.setTimeout(boundMs);
    for (const [at, value] of values.entries())
      request.addParameter(`p${at}`, typeof value === 'number' ? TYPES.Int : TYPES.NVarChar, value);
    request.on('row', onRow);
    if (values.length === 0) connection.execSqlBatch(request);
    else connection.execSql(request);
    return promise;
  };
  for (const setting of sessionSettings(LOCK_MS)) await send(setting, CATALOGUE_MS, () => {});
  return {
    rows: async <Row>(statement: Statement) => {
      const rows: Row[] = [];
      await send(statement, CATALOGUE_MS, (row) =>
        rows.push(Object.fromEntries(row.map(({ value, metadata }) => [metadata.colName, value])) as Row),
      );
      return rows;
    },
    each: (statement, boundMs, onRow) =>
      send(statement, boundMs, (row) => onRow(row.map(({ value }) => value))),
    close: () => connection.close(),
  };
}

/**
 * The driver would send the password in the clear to a server, or to somebody on the way, that offers no TLS. So the
 * first answer is read before the driver reads it.
 */
function connectTo({ host, port }: Address, tls: boolean): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connectSocket({ host, port });
  if (tls) refuseWithoutTls(socket);
  socket.once('error', reject);
  socket.once('connect', () => {
    socket.off('error', reject);
    resolve(socket);
  });
  return promise;
}

const HEADER_BYTES = 8;

function refuseWithoutTls(socket: Socket): void {
  const chunks: Buffer[] = [];
  const look = (chunk: Buffer) => {
    chunks.push(chunk);
    const answer = Buffer.concat(chunks);
    // The length of a packet is in its header.
    if (answer.length < HEADER_BYTES || answer.length < answer.readUInt16BE(2)) return;
    socket.off('data', look);
    if (!offersTls(answer.subarray(0, answer.readUInt16BE(2)))) {
      const error: NodeJS.ErrnoException = new Error('The server offers no TLS.');
      error.code = NO_TLS;
      socket.destroy(error);
    }
  };
  // Flowing begins with the listener of the driver, which hears what this one hears, after it.
  socket.on('data', look);
}

const LAST_PACKET = 0x01;
const ENCRYPTION = 0x01;
const TERMINATOR = 0xff;
const ENCRYPT_ON = 0x01;
const ENCRYPT_REQ = 0x03;

/**
 * Whether the answer to PRELOGIN, a packet with its header, says that TLS follows (MS-TDS 2.2.6.5). It is a list of
 * options, each with a token, the offset and the length of its value. False for an answer that goes on in another packet,
 * or says two things: the driver believes the last one.
 */
function offersTls(packet: Buffer): boolean {
  const options = packet.subarray(HEADER_BYTES);
  let isOffered = false;
  if (((packet[1] ?? 0) & LAST_PACKET) === 0) return false;
  for (let at = 0; at + 5 <= options.length; at += 5) {
    if (options[at] === TERMINATOR) return isOffered;
    if (options[at] !== ENCRYPTION) continue;
    const value = options[options.readUInt16BE(at + 1)];
    isOffered = value === ENCRYPT_ON || value === ENCRYPT_REQ;
    if (!isOffered) return false;
  }
  return isOffered && options.at(-1) === TERMINATOR;
}
