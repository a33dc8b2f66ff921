import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '../../core/kernel/errors.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let auditor: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const LOGIN = '/api/auth/dev/login';

describe('validation_failed', () => {
  const issuesOf = async (path: string, body: unknown) => {
    const answer = await service.anonymous.post<{ error: string; issues: { path: string }[] }>(path, body);
    expect([answer.status, answer.body.error]).toEqual([400, 'validation_failed']);
    expect(answer.body).not.toHaveProperty('message');
    return answer.body.issues;
  };

  test('names the fields that are missing, of a wrong type or out of bounds', async () => {
    expect(await issuesOf(LOGIN, {})).toEqual([{ path: 'principalId', message: 'Required.' }]);
    expect(await issuesOf(LOGIN, { principalId: 7 })).toMatchObject([{ path: 'principalId' }]);
    expect(await issuesOf(LOGIN, { principalId: 'x'.repeat(129) })).toMatchObject([{ path: 'principalId' }]);
    expect(await issuesOf(LOGIN, [])).toMatchObject([{ path: '' }]);
    expect(await issuesOf(LOGIN, 'null')).toMatchObject([{ path: '' }]);
  });

  test('names unknown fields of the body, and counts keys that are no names', async () => {
    const known = 'Known fields: principalId.';
    const named = (path: string) => ({ path, message: `Unknown field. ${known}` });
    const counted = (count: number) => ({
      path: '',
      message: `Contains ${count} unknown field(s). ${known}`,
    });
    for (const [fields, issues] of [
      [['isAdmin'], [named('isAdmin')]],
      [
        ['constructor', 'toString'],
        [named('constructor'), named('toString')],
      ],
      [['__proto__'], [counted(1)]],
      [
        ['Hugo Walker', 'hugo@example.com', 'x'.repeat(41), 'role'],
        [named('role'), counted(3)],
      ],
    ] as const) {
      const members = fields.map((field) => `${JSON.stringify(field)}:{"polluted":true}`);
      expect(await issuesOf(LOGIN, `{"principalId":"${PERSONA.nobody}",${members}}`)).toEqual(issues);
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('refuses unknown query parameters, and a known one given twice', async () => {
    for (const query of ['?x=1', '?category=auth&category=scan', '?category=nonsense', '?category=']) {
      const { status, body } = await auditor.get(`/api/audit${query}`);
      expect([status, body], query).toMatchObject([400, { error: 'validation_failed' }]);
    }
    expect((await service.anonymous.get('/api/auth/mode?x=1')).status).toBe(400);
  });

  test('a client that leaves in mid-body is no internal error', async () => {
    const before = service.logs.length;
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const head = `POST ${LOGIN} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 100`;
    socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n`);
    await once(socket, 'data');
    socket.write('{"principalId":', () => socket.destroy());
    const logged = () => service.logs.slice(before).map((line) => JSON.parse(line));
    await expect.poll(logged).toMatchObject([{ event: 'http_request', route: LOGIN, status: 400 }]);
  });

  test('refuses a body that is not JSON in UTF-8', async () => {
    for (const body of ['{', '{"principalId":}', 'undefined', '\uFEFF{', "{'principalId':1}"]) {
      await issuesOf(LOGIN, body);
    }
    const latin1 = await fetch(`${service.url}${LOGIN}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"principalId":"\xe9"}', 'latin1'),
    });
    expect(latin1.status).toBe(400);
  });

  test('refuses text that neither the database nor the audit trail can hold', async () => {
    for (const bad of ['\\u0000', 'a\\ud800b']) {
      const issues = await issuesOf(LOGIN, `{"principalId":"${bad}"}`);
      expect(issues).toEqual([{ path: 'principalId', message: 'Contains a character that is not text.' }]);
    }
  });

  test('covers domain rules: an unknown persona', async () => {
    expect(await issuesOf(LOGIN, { principalId: 'pri_unknown' })).toMatchObject([{ path: 'principalId' }]);
  });

  test('covers domain rules: a delta scan before any inventory', async () => {
    await admin.post('/api/sources/connect');
    const { body: sources } = await admin.get<{ items: { scopeId: string }[] }>('/api/sources');
    const scan = { scopeId: sources.items[0]?.scopeId, kind: 'delta' };
    const { status, body } = await admin.post('/api/scans', scan);
    expect([status, body]).toMatchObject([400, { error: 'validation_failed', issues: [{ path: 'kind' }] }]);
  });
});

describe('the other codes', () => {
  test('not_found: an unknown path, whoever asks', async () => {
    for (const caller of [service.anonymous, admin]) {
      for (const path of ['/api/none', '/api', '/api/', '/api/auth', '/api/auth/me/none', '/api/%E2%82%AC']) {
        const { status, body } = await caller.get(path);
        expect([status, body], path).toMatchObject([404, { error: 'not_found' }]);
      }
    }
  });

  test('not_found: a missing resource and one of another tenant are answered alike', async () => {
    await admin.post('/api/sources/connect');
    const { body: sources } = await admin.get<{ items: { scopeId: string }[] }>('/api/sources');
    const scopeId = sources.items[1]?.scopeId;
    const started = await admin.post<{ campaignId: string }>('/api/scans', { scopeId, kind: 'inventory' });
    const { campaignId } = started.body;
    expect((await admin.get(`/api/scans/${campaignId}`)).status).toBe(200);
    const foreigner = await service.signInAs(inOther(PERSONA.platformAdmin));
    const foreign = await foreigner.get(`/api/scans/${campaignId}`);
    const missing = await foreigner.get('/api/scans/cmp_none');
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  });

  test('conflict: a scan of the scope is active', async () => {
    await admin.post('/api/sources/connect');
    const { body: sources } = await admin.get<{ items: { scopeId: string }[] }>('/api/sources');
    const scan = { scopeId: sources.items[2]?.scopeId, kind: 'inventory' };
    expect((await admin.post('/api/scans', scan)).status).toBe(200);
    const { status, body } = await admin.post('/api/scans', scan);
    expect([status, body]).toMatchObject([409, { error: 'conflict' }]);
  });

  test('blocked_capability: names the missing flag and configuration', async () => {
    const { status, body } = await admin.post('/api/sources/connect', { family: 'sql' });
    expect([status, body]).toMatchObject([422, { error: 'blocked_capability' }]);
    expect((body as { message: string }).message).toContain('SVC_SQL_ENABLED, SVC_SQL_CONNECTION_REF');
  });

  test('method_not_allowed: a wrong method on a known path, with those that it has', async () => {
    for (const [method, path, allow] of [
      ['POST', '/api/health', 'GET, HEAD'],
      ['DELETE', '/api/scans', 'GET, HEAD, POST'],
      ['PUT', '/api/scans/some-id', 'GET, HEAD'],
      ['OPTIONS', '/api/auth/dev/login', 'POST'],
      ['PATCH', '/API/Auth/ME/', 'GET, HEAD'],
    ] as const) {
      const { status, body, headers } = await service.anonymous.request(method, path);
      expect([status, body], path).toMatchObject([405, { error: 'method_not_allowed' }]);
      expect(headers.get('allow')).toBe(allow);
    }
    const head = await service.anonymous.request('HEAD', LOGIN);
    expect([head.status, head.headers.get('allow'), head.text]).toEqual([405, 'POST', '']);
  });

  test('not_found: a path that only looks like a known one, whatever the method', async () => {
    for (const path of [
      '/api//auth/me',
      '/api/auth//me',
      '//api/auth/me',
      '/api//scans/some-id/pause',
      '/api/auth/me//',
    ])
      for (const method of ['GET', 'POST', 'DELETE'])
        expect((await fetch(`${service.url}${path}`, { method })).status, `${method} ${path}`).toBe(404);
  });

  test('payload_too_large: above 1 MiB, announced or not', async () => {
    const large = JSON.stringify({ principalId: 'x'.repeat(1024 * 1024) });
    const announced = await service.anonymous.post(LOGIN, large);
    expect([announced.status, announced.body]).toMatchObject([413, { error: 'payload_too_large' }]);
    const chunked = await fetch(`${service.url}${LOGIN}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    });
    expect(chunked.status).toBe(413);
    const justFits = JSON.stringify({ principalId: 'x'.repeat(1024 * 1024 - 30) });
    expect((await service.anonymous.post(LOGIN, justFits)).status).toBe(400);
  });

  test('unsupported_media_type: a body that is not application/json', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', '']) {
      const { status, body } = await service.anonymous.post(LOGIN, '{}', { 'content-type': type });
      expect([status, body], type).toMatchObject([415, { error: 'unsupported_media_type' }]);
    }
    const { status } = await service.anonymous.post(
      LOGIN,
      { principalId: PERSONA.nobody },
      { 'content-type': 'Application/JSON; charset=UTF-8' },
    );
    expect(status).toBe(200);
  });

  test('internal_error: the correlation id and nothing else', async () => {
    const { audit } = service.runtime();
    const append = audit.append;
    audit.append = () => Promise.reject(new Error('secret detail of /etc/passwd'));
    try {
      const { status, body } = await admin.get('/api/audit', { 'x-svc-correlation': 'cor-1' });
      expect([status, body]).toEqual([500, { error: 'internal_error', correlationId: 'cor-1' }]);
      const lines = service.logs.filter((line) => line.includes('"cor-1"'));
      expect(lines.map((line) => JSON.parse(line).event)).toEqual(['internal_error', 'http_request']);
      expect(lines.join()).not.toMatch(/secret|passwd/);
    } finally {
      audit.append = append;
    }
  });

  test('a typed error keeps its message, another thrown value does not', async () => {
    const { audit } = service.runtime();
    const append = audit.append;
    audit.append = () => Promise.reject(new ServiceError('not_permitted', 'Said on purpose.'));
    try {
      expect((await admin.get('/api/audit')).body).toEqual({
        error: 'not_permitted',
        message: 'Said on purpose.',
      });
    } finally {
      audit.append = append;
    }
  });
});

describe('the correlation id', () => {
  const sent = async (value: string) => {
    const { headers } = await service.anonymous.get('/api/health', { 'x-svc-correlation': value });
    return headers.get('x-svc-correlation');
  };

  test('is the one that the caller sent', async () => {
    for (const id of ['a', 'Trace_1.2-3', 'x'.repeat(64)]) expect(await sent(id)).toBe(id);
  });

  test('is made where the caller sent none, or one that is no plain identifier', async () => {
    const generated = /^cor_[0-9a-z]{26}$/;
    expect((await service.anonymous.get('/api/health')).headers.get('x-svc-correlation')).toMatch(generated);
    for (const id of ['', 'x'.repeat(65), 'a b', 'a,b', '<script>', '"quoted"', 'é', '../etc']) {
      expect(await sent(id), id).toMatch(generated);
    }
  });

  test('differs between requests', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => sent('not plain')));
    expect(new Set(ids).size).toBe(20);
  });
});

test('every request is logged by method, route template, status and correlation id', async () => {
  await admin.get('/api/scans/some-id', { 'x-svc-correlation': 'logged-1' });
  await service.anonymous.request('DELETE', '/api/secret-place', {
    headers: { 'x-svc-correlation': 'logged-2' },
  });
  const requests = service.logs
    .map((line) => JSON.parse(line))
    .filter(({ event, correlationId }) => event === 'http_request' && /^logged-/.test(correlationId));
  expect(requests).toMatchObject([
    { method: 'GET', route: '/api/scans/:id', status: 404, tenantId: 'dev' },
    { method: 'DELETE', route: '/api/:rest', status: 404 },
  ]);
  expect(service.logs.join()).not.toContain('secret-place');
});

test('production adds HSTS to every answer, errors included', async () => {
  await service.reconfigure({
    SVC_ENV: 'production',
    SVC_AUTH_MODE: 'idp',
    SVC_SESSION_SECRET: 'a-secret-of-the-test-and-of-nobody-else',
  });
  for (const path of ['/api/health', '/api/auth/me', '/api/none', '/api/docs']) {
    const { headers } = await service.anonymous.get(path);
    expect(headers.get('strict-transport-security'), path).toBe('max-age=31536000; includeSubDomains');
  }
  await service.reconfigure({});
});
