import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { endpoints } from '../../core/http/endpoint.ts';
import { errorSchema } from '../../core/http/errors.ts';
import { ERROR_STATUS, type ErrorCode } from '../../core/kernel/errors.ts';
import { startService, type TestService } from '../support/client.ts';
import { INTERNALS } from '../support/contract-check.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
/** Header lines of callers with every kind of right, and of one with none. */
let identities: string[];

beforeEach(() => {
  answered = new Map();
});
beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  identities = [''];
  for (const principalId of [
    PERSONA.platformAdmin,
    PERSONA.governanceAdmin,
    PERSONA.auditor,
    PERSONA.nobody,
  ]) {
    const { cookie, csrfToken } = await service.signInAs(principalId);
    identities.push(`cookie: ${cookie}\r\nx-svc-csrf: ${csrfToken}\r\n`);
  }
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

type Reply = { status: number; headers: string; body: string };

/**
 * Sends bytes as they are. A server waits for the rest of a request that is not whole, so the sender hangs up after
 * `patienceMs`. Null where the connection was closed without an answer.
 */
function exchange(bytes: Buffer, patienceMs: number): Promise<Reply | null> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.setTimeout(patienceMs, () => socket.end());
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A reset after the answer is how a server refuses the rest of a request.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      // Leave to go on, where a request asked for it, is not the answer yet.
      const text = Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, '');
      const [, status, headers = '', body = ''] =
        /^HTTP\/1\.1 (\d{3})[^\r]*\r\n(?:(.*?)\r\n)?\r\n(.*)$/s.exec(text) ?? [];
      if (status === undefined && text !== '') reject(new Error('not an HTTP answer'));
      else resolve(status === undefined ? null : { status: Number(status), headers, body });
    });
  });
}

/** Answers of the service itself by status, so that a test can tell how far its requests got. */
let answered: Map<number, number>;

/** What the service itself answers; a request that the host refuses before that has an empty body. */
function expectDocumented(reply: Reply | null, method: string): void {
  if (reply === null) return;
  const { status, headers, body } = reply;
  // The answer of GET /api/support/diagnostics/preview holds SQL on purpose.
  if (status >= 400) expect(`${headers}\n${body}`).not.toMatch(INTERNALS);
  expect(
    status,
    service.logs.findLast((line) => line.includes('"level":"error"')),
  ).not.toBe(500);
  if (!/^x-svc-correlation:/im.test(headers)) {
    expect([400, 404, 405, 408, 413, 417, 431]).toContain(status);
    // Nothing, in one piece or in chunks.
    expect(['', '0\r\n\r\n']).toContain(body);
    return;
  }
  answered.set(status, (answered.get(status) ?? 0) + 1);
  expect(headers).toMatch(/^x-content-type-options: nosniff$/im);
  if (status < 400 || method === 'HEAD' || status === 503) return;
  const parsed = JSON.parse(body) as { error: ErrorCode };
  expect(ERROR_STATUS[parsed.error]).toBe(status);
  expect(errorSchema(parsed.error).safeParse(parsed).error).toBeUndefined();
}

const head = (method: string, target: string, headers: string) =>
  `${method} ${target} HTTP/1.1\r\nhost: service\r\nconnection: close\r\n${headers}`;

const ODD_TEXT = fc.constantFrom(
  '%',
  '%zz',
  '%00',
  '%ff%fe',
  '%ed%a0%80',
  '%c0%ae%c0%ae',
  '..',
  '..%2f..%2fetc%2fpasswd',
  '%252e',
  '__proto__',
  'constructor',
  "' or 1=1 --",
  '{id}',
  'a'.repeat(5_000),
  '%F0%9F%92%A9',
  '',
);
const binary = fc.string({ unit: 'binary', maxLength: 40 });
/** Mostly what a URL may hold, so that the service gets to see it; sometimes what it may not. */
const oddText = fc.oneof(
  { weight: 10, arbitrary: ODD_TEXT },
  { weight: 10, arbitrary: binary.map((text) => encodeURIComponent(text.toWellFormed())) },
  { weight: 1, arbitrary: binary },
);

const oddMethod = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'get');

const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

/** Mostly the method of the endpoint that the target is made of. */
const call = fc
  .record({
    pick: fc.nat(),
    odd: oddText,
    extra: seldom(oddText),
    query: fc.array(fc.tuple(oddText, oddText), { maxLength: 2 }),
    verb: seldom(oddMethod),
  })
  .map(({ pick, odd, extra, query, verb }) => {
    const all = endpoints();
    const { path, method } = all[pick % all.length] ?? { path: '/api', method: 'GET' };
    const filled = path.replace(/\{[^}]+\}/g, odd) + (extra === null ? '' : `/${extra}`);
    const search = query.map(([name, value]) => `${name}=${value}`).join('&');
    const target = `${filled}${search === '' ? '' : `?${search}`}`.replace(/[\s\p{Cc}]/gu, '+');
    return { verb: verb ?? method, target };
  });

const deep = (open: string, close: string) => (depth: number) => open.repeat(depth) + close.repeat(depth);
const body = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.integer({ min: 1, max: 200_000 }).map(deep('[', ']')),
  fc.integer({ min: 1, max: 100_000 }).map((depth) => `${deep('{"a":', '')(depth)}1${'}'.repeat(depth)}`),
  fc.constantFrom(
    '{"__proto__":{"a":1}}',
    '{"principalId":"\\u0000"}',
    '{"principalId":"\\ud800"}',
    '{"scopeId":"\\udfff","kind":"inventory"}',
    '{"scopeId":{"toString":1},"kind":["inventory"]}',
    '{"a":1,"a":2}',
    '{"principalId":1e999}',
    '[1,2',
    'NaN',
    '"\x00"',
  ),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

const mediaType = fc.oneof(
  { weight: 3, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'x', '') },
);

test('any target, method and body gets a documented answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), call, mediaType, body, async (who, { verb, target }, type, content) => {
      const bytes = Buffer.from(content, 'utf8');
      const headers = `${identities[who % identities.length]}content-type: ${type}\r\ncontent-length: ${bytes.length}\r\n`;
      const request = Buffer.concat([Buffer.from(`${head(verb, target, headers)}\r\n`, 'utf8'), bytes]);
      expectDocumented(await exchange(request, 10_000), verb);
    }),
    { numRuns: propertyRuns(500) },
  );
  for (const status of [200, 400, 401, 403, 404, 405]) expect(answered.has(status), `${status}`).toBe(true);
});

test('no header, however odd, gets anything but a documented answer', async () => {
  const numRuns = propertyRuns(150);
  const name = fc.constantFrom(
    'cookie',
    'x-svc-csrf',
    'x-svc-correlation',
    'content-type',
    'host',
    'content-length',
    'transfer-encoding',
    'expect',
    'upgrade',
    'x-forwarded-host',
    'traceparent',
    'accept-encoding',
    '__proto__',
  );
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replace(/\p{Cc}/gu, '')),
    fc.constantFrom(
      `svc_session=${'A'.repeat(43)}.${'A'.repeat(43)}`,
      'svc_session=; svc_session=;',
      'x'.repeat(12_000),
      '-1',
      '99999999999999999999',
      'chunked',
      '100-continue',
      'websocket',
      'h2c',
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.constantFrom(
        ['GET', '/api/auth/me'] as const,
        ['POST', '/api/auth/dev/login'] as const,
        ['POST', '/api/auth/logout'] as const,
        ['GET', '/api/audit'] as const,
        ['GET', '/api/none'] as const,
      ),
      fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 4 }),
      async (who, [verb, where], pairs) => {
        const lines = pairs.map(([key, text]) => `${key}: ${text}\r\n`).join('');
        const request = `${head(verb, where, `${identities[who % identities.length]}${lines}`)}\r\n`;
        expectDocumented(await exchange(Buffer.from(request, 'latin1'), 150), verb);
      },
    ),
    { numRuns },
  );
  // How many are answered within their time depends on the machine.
  expect([...answered.values()].reduce((sum, count) => sum + count)).toBeGreaterThan(0);
});

test('bytes that are no request at all are refused without a word', async () => {
  const noise = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom(
        'GET / HTTP/9.9\r\n\r\n',
        'GET /api/health\r\n\r\n',
        'GET http://[ HTTP/1.1\r\nhost: x\r\n\r\n',
        'GET /api/health HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
        'GET /api/health HTTP/1.1\r\n\r\n',
        `GET /api/health HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
        'POST /api/auth/logout HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
        'POST /api/auth/logout HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
        'POST /api/auth/logout HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{}',
      )
      .map((text) => Buffer.from(text)),
  );
  await fc.assert(
    fc.asyncProperty(noise, async (bytes) => expectDocumented(await exchange(bytes, 50), 'GET')),
    { numRuns: propertyRuns(60) },
  );
  expect((await service.anonymous.get('/api/health')).status).toBe(200);
});
