import { request as send } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { governedPeople, type People } from '../support/governed-people.ts';
import { AUDIENCE } from '../support/scripted-provider.ts';
import { PERSONA } from '../support/seed.ts';

const MCP = '/api/mcp';
const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const search = { name: 'search_assets', arguments: { limit: 1 } };
const SEARCH = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: search };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = (method: string, params: object = {}) => ({
  body: { jsonrpc: '2.0', id: 3, method, params: { ...params, _meta: META } },
  headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
});

let people: People;
let session: Record<string, string>;
let port: number;

beforeAll(async () => {
  people = await governedPeople({ SVC_API_AUDIENCE: AUDIENCE, SVC_MCP_HOSTS: 'governance.internal' });
  const { cookie, csrfToken } = await people.enter(PERSONA.financeOwner);
  session = { cookie, 'x-svc-csrf': csrfToken };
  port = Number(new URL(people.service.url).port);
});
afterAll(() => people.close());

type Sent = { status: number; headers: Record<string, unknown>; text: string };
/** A request with exactly these headers; `fetch` sets some itself. */
const post = (body: unknown, headers: Record<string, string> = session, path = MCP, method = 'POST') =>
  new Promise<Sent>((resolve, reject) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const outgoing = send(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { host: `127.0.0.1:${port}`, ...HEADERS, ...headers },
      },
      (incoming) => {
        let answer = '';
        incoming.on('data', (chunk) => {
          answer += chunk;
        });
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: answer }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });

describe('who may call', () => {
  test('nobody without a session or a token', async () => {
    const answer = await post(LIST, {});
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(JSON.parse(answer.text).error).toBe('authentication_required');
  });

  test('nobody with a session and without its token', async () => {
    const { cookie = '' } = session;
    for (const headers of [{ cookie }, { cookie, 'x-svc-csrf': 'x'.repeat(43) }]) {
      expect(await post(LIST, headers)).toMatchObject({
        status: 403,
        text: '{"error":"csrf_token_invalid"}',
      });
    }
  });

  test('an application with an access token, and none with one for another service', async () => {
    const { principalId } = await people.register({ kind: 'service', subject: 'robot', roles: ['auditor'] });
    const authorization = `Bearer ${await people.provider.accessToken({ sub: 'robot' })}`;
    const answer = await post(SEARCH, { authorization });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('<untrusted-data-');
    const rows = await people.database.inspect<{ record: string }>(
      sql`select record from audit_events where record::jsonb #>> '{event,type}' = 'adapter_called'`,
    );
    const { event } = JSON.parse(rows.at(-1)?.record ?? '');
    expect(event).toMatchObject({ principalId, details: { tool: 'search_assets', outcome: 'answered' } });
    const forged = `Bearer ${await people.provider.accessToken({ sub: 'robot', aud: 'api://other' })}`;
    expect((await post(SEARCH, { authorization: forged })).status).toBe(401);
  });
});

describe('a page that rebinds its name', () => {
  test.each([
    ['a foreign host', { host: 'evil.example' }],
    ['a foreign host with this port', { host: 'evil.example:7071' }],
    ['a foreign origin', { origin: 'http://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['an origin that only begins like ours', { origin: 'http://localhost.evil.example' }],
    ['what is no host', { host: 'a b' }],
  ])('is refused: %s', async (_, headers) => {
    const { status, text } = await post(SEARCH, { ...session, ...headers });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(text).not.toContain('untrusted-data-');
    expect(text).not.toContain('evil');
  });

  test.each([
    ['this machine by name', { host: 'localhost' }],
    ['a host of the configuration', { host: 'governance.internal' }],
    ['an origin of this machine', { origin: 'http://localhost:3000' }],
  ])('is not meant: %s', async (_, headers) => {
    expect((await post(SEARCH, { ...session, ...headers })).status).toBe(200);
  });

  test('in production, only the host where people sign in and those configured are ours', async () => {
    await people.register({ kind: 'service', subject: 'production-robot', roles: ['auditor'] });
    const authorization = `Bearer ${await people.provider.accessToken({ sub: 'production-robot' })}`;
    await people.configure({
      SVC_ENV: 'production',
      SVC_SESSION_SECRET: 'a-secret-of-this-deployment-alone',
      SVC_IDP_REDIRECT_URI: 'https://governance.example/api/auth/idp/callback',
    });
    try {
      const statusOf = async (headers: Record<string, string>) =>
        (await post(SEARCH, { authorization, ...headers })).status;
      expect(await statusOf({ host: 'governance.example' })).toBe(200);
      expect(await statusOf({ host: 'governance.internal:8443' })).toBe(200);
      expect(await statusOf({})).toBe(403);
      expect(await statusOf({ host: 'localhost' })).toBe(403);
      expect(await statusOf({ host: 'governance.example', origin: 'http://localhost' })).toBe(403);
    } finally {
      await people.configure();
    }
  });
});

describe('what is sent', () => {
  test('has bounds: bytes, depth, one message', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const bodies: [unknown, number][] = [
      ['x'.repeat(70_000), 413],
      [`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":${deep}}}`, 400],
      [[LIST, SEARCH], 400],
      ['{"jsonrpc":', 400],
      ['', 400],
      [{ id: 1, method: 'tools/list' }, 400],
      [{ ...LIST, id: { a: 1 } }, 400],
    ];
    for (const [body, status] of bodies) {
      const answer = await post(body);
      expect(answer.status, answer.text).toBe(status);
      expect(JSON.parse(answer.text).error).toMatch(/^(?:validation_failed|payload_too_large)$/);
    }
    expect((await post(LIST, { ...session, 'content-type': 'text/plain' })).status).toBe(415);
  });

  test('gets an answer of the protocol: unknown methods, tools, revisions', async () => {
    const unknown = await post({ ...LIST, method: 'actions/approve' });
    expect(unknown.text).toContain('-32601');
    const tool = await post({ ...SEARCH, params: { name: '__proto__', arguments: {} } });
    expect(tool.text).toContain('-32602');
    const { headers } = modern('server/discover');
    const mismatched = await post(LIST, { ...session, ...headers });
    expect([mismatched.status, JSON.parse(mismatched.text).jsonrpc]).toEqual([400, '2.0']);
    expect((await post(LIST, { ...session, accept: 'application/json' })).status).toBe(406);
    expect((await post(LIST, { ...session, accept: '*/*' })).status).toBe(200);
  });

  test('does not hold a stream open', async () => {
    const { body, headers } = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const answer = await post(body, { ...session, ...headers });
    expect(answer.text).toContain('Subscription limit reached');
    for (const method of ['GET', 'DELETE']) {
      const refused = await post('', session, MCP, method);
      expect(refused).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
  });

  test('is answered from scratch: no session of the protocol', async () => {
    const initialize = {
      ...LIST,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    };
    const answer = await post(initialize);
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
    expect(answer.text).toContain('"tools":{"listChanged":false}');
    const acknowledged = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([acknowledged.status, acknowledged.text]).toEqual([202, '']);
    expect((await post(SEARCH)).status).toBe(200);
  });
});

describe('the mark of the adapter', () => {
  const marked = (tool: string, path: string) =>
    people.service.withCookie(session.cookie ?? '', session['x-svc-csrf'] ?? '').request('POST', path, {
      headers: { 'x-svc-adapter-tool': tool },
      body: {},
    });

  test.each([
    ['draft_remediation', '/api/actions/act_1/submit'],
    ['draft_remediation', '/api/actions/act_1/approval'],
    ['start_scan', '/api/actions'],
    ['approve_action', '/api/actions/act_1/approval'],
    ['__proto__', '/api/actions'],
  ])('lets %s call nothing else: %s', async (tool, path) => {
    const answer = await marked(tool, path);
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        error: 'validation_failed',
        issues: [{ path: 'x-svc-adapter-tool', message: 'Names no tool that calls this endpoint.' }],
      },
    ]);
  });
});
