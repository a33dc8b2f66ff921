import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import {
  DONE,
  done,
  ENCRYPTION,
  errorToken,
  type Login,
  loginAck,
  loginIn,
  messageReader,
  PACKET,
  type Parameter,
  packetsOf,
  preloginAnswer,
  returnStatus,
  rowTokens,
  rpcIn,
  STATUS,
  type Table,
  withoutHeaders,
} from './tds-packets.ts';

/** A statement as it came: with its parameters through `sp_executesql`, or as a batch without any. */
export type Request = { sql: string; parameters: Readonly<Record<string, Parameter>> };

export type ServerError = { number: number; message: string; severity: number };

/** Null for a statement without rows. `ended`: fires when the client no longer wants the answer. */
export type Answer = (request: Request, ended: AbortSignal) => Promise<Table | null>;

/** An answer throws it. The server reports it as an error. */
export class Refused extends Error {
  readonly error: ServerError;

  constructor(number: number, message: string, severity = 14) {
    super(message);
    this.error = { number, message, severity };
  }
}

export type TdsOptions = {
  /** Null for a server that offers no TLS. */
  certificate: { cert: string; key: string } | null;
  /** What the answer to PRELOGIN says of encryption, if not what is true. */
  says?: readonly number[];
  /** A session for a login. Throws `Refused`. */
  session: (login: Login) => Answer;
};

export type TdsServer = {
  port: number;
  /** Whether each login came encrypted. */
  logins: boolean[];
  close(): Promise<void>;
};

/** The protocol of SQL Server on loopback: login with and without TLS, batches, `sp_executesql`, attention. */
export async function startTdsServer(options: TdsOptions): Promise<TdsServer> {
  const logins: boolean[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that ends in the middle of something.
    socket.on('error', () => {});
    serve(socket, options, (isEncrypted) => logins.push(isEncrypted));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    logins,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function serve(socket: Socket, options: TdsOptions, onLogin: (isEncrypted: boolean) => void): void {
  let answer: Answer | null = null;
  let running: { stop: AbortController; replied: Promise<void> } | null = null;
  const handle: Handle = async (type, body, reply, isEncrypted) => {
    if (type === PACKET.login) {
      onLogin(isEncrypted);
      const refusal = await refusalOf(() => {
        answer = options.session(loginIn(body));
      });
      return reply(refusal ?? Buffer.concat([loginAck(), done(DONE.plain, STATUS.final)]));
    }
    if (type === PACKET.attention) {
      // Each message has an answer of its own, MS-TDS 2.2.1.7: first that of the statement, as far as it came.
      running?.stop.abort();
      await running?.replied;
      return reply(done(DONE.plain, STATUS.attention));
    }
    if (answer === null) return void socket.destroy();
    const stop = new AbortController();
    const replied = resultOf(type, body, answer, stop.signal).then(reply);
    running = { stop, replied };
    await replied;
  };

  const encrypted = options.certificate === null ? null : tlsOver(socket, options.certificate, handle);
  const clear = messageReader((type, body) => {
    const reply = (bytes: Buffer) => void socket.write(packetsOf(PACKET.response, bytes));
    if (type !== PACKET.prelogin) void handle(type, body, reply, false);
    // The first one has options, further ones have the handshake of TLS, whose records begin with 0x16.
    else if (encrypted !== null && body[0] === 0x16) encrypted.handshake(body);
    else
      reply(
        preloginAnswer(...(options.says ?? [encrypted === null ? ENCRYPTION.notSupported : ENCRYPTION.on])),
      );
  });
  let isRaw = false;
  socket.on('data', (chunk: Buffer) => {
    // After the handshake records of TLS come without packets around them.
    isRaw ||= encrypted !== null && [0x14, 0x15, 0x16, 0x17].includes(chunk[0] ?? 0);
    if (isRaw) encrypted?.raw(chunk);
    else clear(chunk);
  });
}

type Handle = (
  type: number,
  body: Buffer,
  reply: (body: Buffer) => void,
  isEncrypted: boolean,
) => Promise<void>;

/** TLS of TDS 7: the handshake is in packets of PRELOGIN, what follows is not. */
function tlsOver(socket: Socket, certificate: { cert: string; key: string }, handle: Handle) {
  let isRaw = false;
  const line = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, written) => {
      socket.write(isRaw ? chunk : packetsOf(PACKET.prelogin, chunk));
      written();
    },
  });
  const secure = new TLSSocket(line, {
    isServer: true,
    secureContext: createSecureContext({ ...certificate, maxVersion: 'TLSv1.2' }),
  });
  secure.on('error', () => socket.destroy());
  const reply = (bytes: Buffer) => void secure.write(packetsOf(PACKET.response, bytes));
  secure.on(
    'data',
    messageReader((type, body) => void handle(type, body, reply, true)),
  );
  return {
    handshake: (body: Buffer) => line.push(body),
    raw: (chunk: Buffer) => {
      isRaw = true;
      line.push(chunk);
    },
  };
}

async function refusalOf(run: () => void | Promise<void>): Promise<Buffer | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { number, message, severity } = error.error;
    return Buffer.concat([errorToken(number, message, severity), done(DONE.plain, STATUS.error)]);
  }
}

const SP_EXECUTESQL = 10;

async function resultOf(type: number, body: Buffer, answer: Answer, ended: AbortSignal): Promise<Buffer> {
  let result = done(DONE.plain, STATUS.final);
  const refusal = await refusalOf(async () => {
    if (type === PACKET.batch) {
      const table = await answer({ sql: withoutHeaders(body).toString('utf16le'), parameters: {} }, ended);
      if (table !== null)
        result = Buffer.concat([rowTokens(table), done(DONE.plain, STATUS.count, table.rows.length)]);
      return;
    }
    const table = await answer(executed(body), ended);
    const rows =
      table === null
        ? []
        : [rowTokens(table), done(DONE.inProcedure, STATUS.more | STATUS.count, table.rows.length)];
    result = Buffer.concat([...rows, returnStatus(), done(DONE.ofProcedure, STATUS.final)]);
  });
  return refusal ?? result;
}

/** `sp_executesql` takes the statement, the declarations of its parameters, and the parameters. */
function executed(body: Buffer): Request {
  const { procedure, parameters } = rpcIn(body);
  const [statement, declarations, ...values] = parameters;
  if (procedure !== SP_EXECUTESQL || typeof statement?.value !== 'string')
    throw new Refused(2812, 'Could not find stored procedure.', 16);
  const declared = String(declarations?.value ?? '');
  for (const { name } of values)
    if (!new RegExp(`${name} (?:int|nvarchar\\((?:\\d+|max)\\))`).test(declared))
      throw new Refused(137, 'Must declare the scalar variable.', 15);
  return {
    sql: statement.value,
    parameters: Object.fromEntries(values.map(({ name, value }) => [name.slice(1), value])),
  };
}
