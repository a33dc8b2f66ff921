import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../core/http/endpoint.ts';
import { startService, type TestService } from '../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase({ max: 1 });
  service = await startService(database);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

test('the OpenAPI document describes every endpoint', async () => {
  const { status, body } = await service.anonymous.get<{ openapi: string; paths: object }>(
    '/api/openapi.json',
  );
  expect(status).toBe(200);
  expect(body.openapi).toMatch(/^3\.1\./);
  expect(Object.keys(body.paths)).toHaveLength(new Set(endpoints().map(({ path }) => path)).size);
  expect(body.paths).toHaveProperty('/api/auth/me.get.responses.200');
});

test('the reference page and all that it loads come from this service', async () => {
  const { status, headers, text } = await service.anonymous.get('/api/docs');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(text).not.toMatch(/https?:\/\//);
  expect(text).not.toMatch(/<script(?! src)/);
  const loaded = [...text.matchAll(/src="([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(loaded).toHaveLength(2);
  for (const path of loaded) {
    const file = await service.anonymous.get(path);
    expect(file.status, path).toBe(200);
    expect(file.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(file.text.length).toBeGreaterThan(100);
  }
});

test('no other file of the package is served', async () => {
  for (const name of [
    'index.html',
    'package.json',
    'index.js',
    'scalar.js/..%2Fpackage.json',
    '..%2F..%2Fpackage.json',
    'constructor',
    '__proto__',
  ]) {
    expect((await service.anonymous.get(`/api/docs/${name}`)).status, name).toBe(404);
  }
});
