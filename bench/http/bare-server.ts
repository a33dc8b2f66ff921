import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { announce, taskOfParent } from '../support/child.ts';

/** Gives the same answers using only node:http and pg. `list` is the statement of the product. */
export type BareTask = {
  databaseUrl: string;
  poolSize: number;
  sessionSecret: string;
  idleMinutes: number;
  tenantId: string;
  list: { text: string; values: unknown[]; prepared: boolean };
};

const task = await taskOfParent<BareTask>();
const pool = new Pool({ connectionString: task.databaseUrl, max: task.poolSize });
const BEGIN = `begin isolation level repeatable read read only; set local role svc_app;
  set local svc.tenant_id = '${task.tenantId}'; set local statement_timeout = 30000; set local lock_timeout = 10000;
  set local idle_in_transaction_session_timeout = 15000`;

function sessionHash(request: IncomingMessage): Buffer {
  const [id = '', given = ''] = (request.headers.cookie ?? '').replace('svc_session=', '').split('.');
  const expected = createHmac('sha256', task.sessionSecret).update(`svc-session:${id}`).digest();
  if (!timingSafeEqual(Buffer.from(given, 'base64url'), expected)) throw new Error('Invalid signature');
  return createHash('sha256').update(id).digest();
}

async function session(request: IncomingMessage): Promise<object> {
  const { rows } = await pool.query<object>({
    name: 'session',
    text: 'select * from session_principal($1, $2, make_interval(mins => $3))',
    values: [sessionHash(request), new Date(), task.idleMinutes],
  });
  if (rows[0] === undefined) throw new Error('No session');
  return rows[0];
}

async function assets(): Promise<object> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN);
    const { text, values, prepared } = task.list;
    const { rows } = await client.query<object>(prepared ? { name: 'list', text, values } : { text, values });
    await client.query('commit');
    return { items: rows };
  } finally {
    client.release();
  }
}

const ANSWERS: Record<string, (request: IncomingMessage) => object | Promise<object>> = {
  '/api/health': () => ({ status: 'ok' }),
  '/api/auth/me': session,
  '/api/assets': async (request) => {
    await session(request);
    return assets();
  },
};

const server = createServer(async (request, response) => {
  try {
    const body = JSON.stringify(await ANSWERS[request.url ?? '']?.(request));
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  } catch {
    response.writeHead(500, { 'content-length': 0 }).end();
  }
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  announce({ url: `http://127.0.0.1:${port}` }, async () => {
    server.closeAllConnections();
    await pool.end();
  });
});
