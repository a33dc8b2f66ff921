import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '../../core/http/endpoint.ts';
import { acceptedEncoding } from '../../core/http/representation.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let governance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  await storeScanned(
    database.db,
    DEV,
    Array.from({ length: 12 }, (_, n) => ({ assetId: `ast_r_${n}` })),
  );
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

type Sent = { status: number; headers: Record<string, unknown>; bytes: Buffer };

/** As it comes over the line: `fetch` decompresses. */
const raw = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Sent> =>
  new Promise((resolve, reject) => {
    request(
      `${service.url}${path}`,
      { method, headers: { cookie: governance.cookie, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes: Buffer.concat(chunks),
          }),
        );
      },
    )
      .on('error', reject)
      .end();
  });

describe('compression', () => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('a long list comes as %s, with its length', async (encoding, decompress) => {
    const plain = await raw('/api/assets');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toBe('accept-encoding');
    const sent = await raw('/api/assets', { 'accept-encoding': encoding });
    expect(sent.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(sent.bytes.length),
      vary: 'accept-encoding',
      etag: plain.headers.etag,
    });
    expect(decompress(sent.bytes).equals(plain.bytes)).toBe(true);
    expect(sent.bytes.length).toBeLessThan(plain.bytes.length / 4);
    const head = await raw('/api/assets', { 'accept-encoding': encoding }, 'HEAD');
    expect([head.headers['content-length'], head.bytes.length]).toEqual([String(sent.bytes.length), 0]);
  });

  test('a short answer, an error and an answer with a secret come as they are', async () => {
    const accept = { 'accept-encoding': 'br, gzip' };
    for (const path of ['/api/health', '/api/auth/me', '/api/assets?limit=0', '/api/nowhere']) {
      const sent = await raw(path, accept);
      expect(sent.headers['content-encoding'], path).toBeUndefined();
      expect(JSON.parse(sent.bytes.toString()), path).toBeTypeOf('object');
    }
    expect((await raw('/api/auth/me', accept)).headers.etag).toBeUndefined();
  });

  test('an answer with a token, a code or an id of a session carries a secret', () => {
    const secretive = /"(?:csrfToken|code|setupCode|sessionId|\w*[sS]ecret)":/;
    const holding = endpoints().filter(
      ({ response }) => response !== undefined && secretive.test(JSON.stringify(shapeOf(response))),
    );
    expect(holding.map(({ name, carriesSecret = false }) => [name, carriesSecret])).toEqual(
      holding.map(({ name }) => [name, true]),
    );
    expect(holding.map(({ name }) => name)).toContain('auth-dev-login');
  });

  test.each([
    [null, null],
    ['', null],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', null],
    ['*', 'br'],
    ['identity, *;q=0', null],
    ['deflate, zstd', null],
    ['GZIP;Q=1', 'gzip'],
    ['gzip;q=x', null],
  ])('accept-encoding %j leads to %j', (header, encoding) => {
    expect(acceptedEncoding(header)).toBe(encoding);
  });

  test('the document is kept by its readers, and is under 200 kB on the line', async () => {
    const sent = await raw('/api/openapi.json', { 'accept-encoding': 'gzip' });
    expect(sent.headers['cache-control']).toBe('public, max-age=3600');
    expect(sent.bytes.length).toBeLessThan(200_000);
  });
});

describe('tags', () => {
  test('a read that has not changed is 304 without a body, for GET and HEAD', async () => {
    const first = await raw('/api/assets');
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    for (const named of [etag, `"other", ${etag}`, etag.slice(2), '*']) {
      const again = await raw('/api/assets', { 'if-none-match': named, 'accept-encoding': 'br' });
      expect([again.status, again.bytes.length, again.headers.etag], named).toEqual([304, 0, etag]);
      expect(again.headers['content-type']).toBeUndefined();
      expect(again.headers['cache-control']).toBe('no-store');
    }
    expect((await raw('/api/assets', { 'if-none-match': etag }, 'HEAD')).status).toBe(304);
    await storeScanned(database.db, DEV, [{ assetId: 'ast_r_new' }]);
    expect((await raw('/api/assets', { 'if-none-match': etag })).status).toBe(200);
  });

  test('the tag of another reader does not help who may not read', async () => {
    const etag = String((await raw('/api/assets')).headers.etag);
    const nobody = await service.anonymous.get('/api/assets', { 'if-none-match': etag });
    expect(nobody.status).toBe(401);
    const admin = await service.signInAs(PERSONA.platformAdmin);
    expect((await admin.get('/api/assets', { 'if-none-match': etag })).status).toBe(403);
  });
});

/** The names of all fields of a schema, as keys of nested objects. */
function shapeOf(schema: unknown, depth = 0): unknown {
  if (typeof schema !== 'object' || schema === null || depth > 8) return null;
  const { def } = schema as { def?: Record<string, unknown> };
  if (def === undefined) return null;
  const inner = [def.innerType, def.element, def.in, def.out, ...((def.options as unknown[]) ?? [])];
  const fields = typeof def.shape === 'object' && def.shape !== null ? Object.entries(def.shape) : [];
  return {
    ...Object.fromEntries(fields.map(([name, field]) => [name, shapeOf(field, depth + 1)])),
    _inner: inner.filter((each) => each !== undefined).map((each) => shapeOf(each, depth + 1)),
  };
}
