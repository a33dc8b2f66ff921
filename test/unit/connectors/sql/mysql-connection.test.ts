import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { mysqlEngine } from '../../../../core/connectors/sql/mysql/mysql-engine.ts';
import { mysqlFailure, tableRefusal } from '../../../../core/connectors/sql/mysql/mysql-failure.ts';
import { refusal } from '../../../contract/connector.exercise.ts';

const live = new AbortController().signal;

/** The first packet of a server, of protocol 10. Without the flag of TLS (0x0800) among what it can do. */
function greeting(): Buffer {
  const body = Buffer.concat([
    Buffer.from([10]),
    Buffer.from('8.4.0\0'),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('12345678\0'),
    Buffer.from([0xff, 0xf7, 45, 2, 0, 0xff, 0x00, 21]),
    Buffer.alloc(10),
    Buffer.from('123456789012\0'),
    Buffer.from('caching_sha2_password\0'),
  ]);
  return Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body]);
}

let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  const closed = server && once(server, 'close');
  server?.close();
  await closed;
  server = undefined;
});

async function serve(first: Buffer): Promise<{ port: number; received: Buffer[] }> {
  const received: Buffer[] = [];
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.write(first);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, received };
}

const target = (port: number) => ({
  host: 'localhost',
  port,
  database: 'crm',
  user: 'reader',
  password: 'correct horse',
  tls: true,
});

test('a server that offers no TLS is refused, and is sent nothing', async () => {
  const { port, received } = await serve(greeting());
  expect(await refusal(mysqlEngine.connect(target(port), live))).toMatchObject({
    safeDiagnostic: 'sql_tls_refused',
    retryClass: 'permanent',
  });
  expect(received).toEqual([]);
});

test('a server that says nothing is given up when the signal fires', async () => {
  const { port } = await serve(Buffer.alloc(0));
  const stop = new AbortController();
  const connecting = refusal(mysqlEngine.connect(target(port), stop.signal));
  stop.abort();
  expect(await connecting).toMatchObject({ safeDiagnostic: 'aborted' });
});

test.each([
  [{ errno: 1045 }, 'sql_login_refused', 'auth'],
  [{ errno: 1044 }, 'sql_database_denied', 'auth'],
  [{ errno: 1049 }, 'sql_database_not_found', 'permanent'],
  [{ errno: 1040 }, 'sql_too_many_connections', 'throttled'],
  [{ errno: 1205 }, 'sql_locked', 'transient'],
  // MariaDB ends a statement by one number, MySQL by another one. The driver has no code for the first.
  [{ errno: 1969, sqlState: '70100' }, 'sql_statement_timeout', 'transient'],
  [{ errno: 3024 }, 'sql_statement_timeout', 'transient'],
  [{ code: 'PROTOCOL_SEQUENCE_TIMEOUT' }, 'sql_statement_timeout', 'transient'],
  [{ code: 'PROTOCOL_CONNECTION_LOST' }, 'sql_unreachable', 'transient'],
  [{ code: 'ECONNREFUSED', errno: -111 }, 'sql_unreachable', 'transient'],
  [{ errno: 1064 }, 'sql_refused', 'permanent'],
])('the error %o is %s', (fields, safeDiagnostic, retryClass) => {
  const failure = mysqlFailure(Object.assign(new Error('Ada in crm.people'), fields));
  expect(failure).toMatchObject({ safeDiagnostic, retryClass });
  expect(JSON.stringify([String(failure), failure])).not.toMatch(/Ada|people/);
});

test.each([
  [1142, false, 'denied'],
  [1143, true, 'denied'],
  [1146, false, 'gone'],
  [1146, true, 'denied'],
  [1356, true, 'denied'],
  [1969, true, 'denied'],
  [1969, false, null],
  [1205, true, null],
])('error %i of a view or not (%s) says of it: %s', (errno, isView, says) => {
  expect(tableRefusal(Object.assign(new Error(''), { errno }), isView)).toBe(says);
});
