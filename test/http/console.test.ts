import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/client.ts';
import { withConsole } from '../support/console.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
/** The script that the page starts. */
let script: string;

beforeAll(async () => {
  await withConsole();
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  script = /src="(\/static\/[^"]+\.js)"/.exec(await (await ask('/')).text())?.[1] ?? '';
});
afterAll(async () => {
  await service?.close();
  await database?.drop();
});

/** An answer as it was sent: `fetch` would undo the encoding. */
async function raw(path: string, headers: Record<string, string> = {}) {
  const { request } = await import('node:http');
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      const sent = request(`${service.url}${path}`, { headers }, async (response) => {
        const body = Buffer.concat(await response.toArray());
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
      sent.on('error', reject).end();
    },
  );
}
const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${service.url}${path}`, { redirect: 'manual', ...init });

describe('the page', () => {
  test.each(['/', '/review', '/review?question=cnd_1', '/no/such/view'])('%s is the page', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect(await answer.text()).toContain('<div id="root">');
  });

  test('what a view reads first is named to people who may read it alone', async () => {
    const namesQueue = async (client: { headers: Record<string, string> } | null) =>
      (await (await ask('/review', client ?? {})).text()).includes('href="/api/review/queue"');
    const as = async (principalId: string) => {
      const answer = await ask('/api/auth/dev/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ principalId }),
      });
      return { headers: { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' } };
    };
    expect(await namesQueue(await as(PERSONA.financeOwner))).toBe(true);
    expect(await namesQueue(await as(PERSONA.platformAdmin))).toBe(false);
    expect(await namesQueue({ headers: { cookie: 'svc_session=unknown' } })).toBe(false);
    expect(await namesQueue(null)).toBe(false);
  });

  test('its policy allows its own files alone, and no markup from text', async () => {
    const policy = (await ask('/')).headers.get('content-security-policy')?.split('; ');
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types default',
    ]);
  });

  test('it has no script, no style and no address of another host in it', async () => {
    const page = await (await ask('/')).text();
    expect(page).not.toMatch(/<script(?![^>]*\ssrc="\/static\/)/);
    expect(page).not.toMatch(/<style|\sstyle=|https?:\/\//);
  });
});

describe('files', () => {
  test('a file with a hashed name may be kept for ever', async () => {
    const answer = await ask(script);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('each encoding has its tag and its length, and is the same file', async () => {
    const [plain, br, gzip] = await Promise.all([
      raw(script),
      raw(script, { 'accept-encoding': 'br, gzip' }),
      raw(script, { 'accept-encoding': 'gzip' }),
    ]);
    expect([plain, br, gzip].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'br',
      'gzip',
    ]);
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
    for (const { headers, body } of [plain, br, gzip]) {
      expect(headers['content-length']).toBe(String(body.length));
      expect(headers.vary).toBe('accept-encoding');
    }
    expect(br.body.length).toBeLessThan(plain.body.length / 3);
  });

  test('who has the file receives no body again', async () => {
    const first = await raw('/', { 'accept-encoding': 'br' });
    const again = await raw('/', { 'accept-encoding': 'br', 'if-none-match': String(first.headers.etag) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect(again.headers).toMatchObject({ etag: first.headers.etag, 'cache-control': 'private, no-cache' });
    const other = await raw('/', { 'if-none-match': String(first.headers.etag) });
    expect(other.status).toBe(200);
  });

  test('HEAD has the headers and no body', async () => {
    const { status, headers } = await ask(script, { method: 'HEAD' });
    expect([status, Number(headers.get('content-length')) > 10_000]).toEqual([200, true]);
  });

  test.each(['/static/gone-abc123.js', '/static/gone', '/favicon.ico', '/manifest.json', '/../host.json'])(
    'a file that is missing is no page: %s',
    async (path) => {
      const answer = await ask(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(await answer.json()).toMatchObject({ error: 'not_found' });
    },
  );
});

test('a file has neither a log line nor a cookie', async () => {
  const before = service.logs.length;
  const answers = await Promise.all([ask('/'), ask(script), ask('/static/gone.js')]);
  expect(service.logs.length).toBe(before);
  expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
});

test('the API stays what it is', async () => {
  const unknown = await ask('/api/none');
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: 'not_found' }]);
  const other = await ask('/api/health', { headers: { origin: 'https://elsewhere.example' } });
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
  const posted = await ask('/review', { method: 'POST' });
  expect([posted.status, await posted.json()]).toMatchObject([404, { error: 'not_found' }]);
});
