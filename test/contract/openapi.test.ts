import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { anyone, can, type Endpoint, session } from '../../core/http/endpoint.ts';
import { errorsOf, type OpenApiDocument, openApiDocument } from '../../core/http/openapi.ts';
import { loadFunctions } from '../../docs/load-functions.ts';

let document: OpenApiDocument;
let all: Endpoint[];

beforeAll(async () => {
  all = (await loadFunctions()).endpoints;
  document = openApiDocument(all);
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test('every endpoint is one operation with an id of its own', () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(ids.sort()).toEqual(all.map(({ name }) => name).sort());
  expect(new Set(ids).size).toBe(ids.length);
});

test('every parameter of a path is declared, and no other', () => {
  for (const { path, operation } of operations()) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(declared.map(({ name }) => name).sort(), path).toEqual(inPath.sort());
    for (const { required } of declared) expect(required, path).toBe(true);
  }
});

test('every schema is valid JSON Schema 2020-12 and every reference resolves', () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  addFormats.default(ajv);
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, 'document');
  let schemas = 0;
  const walk = (value: unknown, pointer: string) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const escaped = encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
      if (key === 'schema') {
        schemas++;
        expect(() => ajv.compile({ $ref: `document#${pointer}/${escaped}` }), pointer).not.toThrow();
      } else walk(member, `${pointer}/${escaped}`);
    }
  };
  walk(document, '');
  expect(schemas).toBeGreaterThan(50);
});

test('a mutation names the CSRF header, save for a source that calls back; a protected operation its session', () => {
  for (const { method, path, operation } of operations()) {
    const csrf = operation.parameters.some(({ name }) => name === 'x-svc-csrf');
    expect(csrf, operation.operationId).toBe(method !== 'get' && !path.startsWith('/api/webhooks/'));
  }
  expect(document.paths['/api/auth/me']?.get?.security).toEqual([{ session: [] }]);
  expect(document.paths['/api/health']?.get?.security).toEqual([]);
});

test('what takes an idempotency key names its header, and nothing else does', () => {
  const withKey = operations().filter(({ operation }) =>
    operation.parameters.some(({ name, in: where }) => name === 'Idempotency-Key' && where === 'header'),
  );
  expect(withKey.map(({ operation }) => operation.operationId)).toEqual(['actions-create']);
});

test('the document is plain JSON and names no other host', () => {
  const text = JSON.stringify(document);
  expect(JSON.parse(text)).toEqual(document);
  expect(text.replaceAll('https://json-schema.org/draft/2020-12/schema', '')).not.toMatch(/https?:\/\//);
});

describe('the errors that follow from a declaration', () => {
  const base = {
    name: 'x',
    method: 'GET',
    path: '/api/x',
    summary: '',
    access: anyone,
    transaction: 'none',
    handle: () => undefined,
  } as const satisfies Endpoint;

  test.each<[string, Partial<Endpoint>, string[]]>([
    ['nothing', {}, ['validation_failed', 'internal_error']],
    ['a session', { access: session }, ['authentication_required', 'overloaded']],
    [
      'a capability',
      { access: can('audit.read') },
      ['authentication_required', 'not_permitted', 'overloaded'],
    ],
    [
      'a change',
      { method: 'POST' },
      ['csrf_token_invalid', 'payload_too_large', 'unsupported_media_type', 'overloaded'],
    ],
    ['parameters', { params: z.strictObject({ id: z.string() }) }, ['not_found']],
    ['development only', { devOnly: true }, ['not_found']],
    ['its own', { errors: ['conflict'] }, ['conflict']],
  ])('%s', (_, change, added) => {
    const expected = new Set(['validation_failed', 'internal_error', ...added]);
    expect(new Set(errorsOf({ ...base, ...change }))).toEqual(expected);
  });
});
