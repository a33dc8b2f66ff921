import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Endpoint } from '../../core/http/declaration.ts';
import { anyone, can, session } from '../../core/http/endpoint.ts';
import { EXAMPLES } from '../../core/http/examples.ts';
import { errorsOf, type OpenApiDocument, openApiDocument } from '../../core/http/openapi.ts';
import { RESOURCES } from '../../core/http/resources.ts';
import { VOCABULARIES } from '../../core/http/vocabularies.ts';
import { loadFunctions } from '../../docs/load-functions.ts';
import { PLAIN_FIELDS } from '../support/plain-fields.ts';

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

test('the id of an operation begins with the folder of its file', async () => {
  const root = path.resolve(import.meta.dirname, '../..');
  for await (const file of glob('functions/http/*/*.ts', { cwd: root })) {
    const source = await readFile(path.join(root, file), 'utf8');
    const folder = path.basename(path.dirname(file));
    for (const [, id] of source.matchAll(/^ +name: '([^']+)',$/gm)) expect(id).toMatch(`${folder}-`);
  }
});

test('a field with a default may be left out of a body, in each variant', () => {
  const defaults = [...objectsIn(document.components.schemas)].flatMap(([at, { properties, required }]) =>
    Object.entries((properties ?? {}) as Record<string, { default?: unknown }>)
      .filter(([, field]) => field.default !== undefined)
      .map(([name]) => ({ field: `${at}.${name}`, isRequired: [required].flat().includes(name) })),
  );
  expect(defaults.length).toBeGreaterThan(30);
  expect(defaults.filter(({ isRequired }) => isRequired)).toEqual([]);
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
  const ajv = new Ajv2020({
    ...{ strict: true, strictTypes: false, strictRequired: false },
    // Each is compiled, and none is used.
    ...{ inlineRefs: false, code: { optimize: false } },
  });
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

test('a change made with a session is declared to send its token', () => {
  const securityOf = (operationId: string) =>
    operations().find(({ operation }) => operation.operationId === operationId)?.operation.security;
  expect(securityOf('auth-show-principal')).toEqual([{ session: [] }, { accessToken: [] }]);
  expect(securityOf('scans-start')).toEqual([{ session: [], csrf: [] }, { accessToken: [] }]);
  expect(securityOf('auth-logout')).toEqual([{}, { session: [], csrf: [] }, { accessToken: [] }]);
  expect(securityOf('health-show-liveness')).toEqual([]);
  for (const { name, method, access } of all) {
    const withToken = securityOf(name)?.some((scheme) => 'csrf' in scheme);
    expect(withToken ?? false, name).toBe(method !== 'GET' && access.kind !== 'source');
  }
});

test('no operation has the token as a parameter that readers would have to fill in', () => {
  const named = operations().flatMap(({ operation }) => operation.parameters.map(({ name }) => name));
  expect(named).not.toContain('x-svc-csrf');
});

test('a summary has at most ten words, and a description is sentences', () => {
  for (const { name, summary, description } of all) {
    expect(summary.split(/\s+/).length, `${name}: ${summary}`).toBeLessThanOrEqual(10);
    expect(summary, name).toMatch(/^[A-Z](?!.*[.;](?: |$))/);
    if (description !== undefined) expect(description, name).toMatch(/^[A-Z`].*\.$/);
  }
});

test('an operation says first what its declaration describes', () => {
  for (const { name, description = '' } of all) {
    const operation = operations().find(({ operation }) => operation.operationId === name)?.operation;
    expect(operation?.description?.startsWith(description) ?? description === '', name).toBe(true);
  }
});

test('what takes an idempotency key names its header, and nothing else does', () => {
  const withKey = operations().filter(({ operation }) =>
    operation.parameters.some(({ name, in: where }) => name === 'Idempotency-Key' && where === 'header'),
  );
  expect(withKey.map(({ operation }) => operation.operationId)).toEqual(['actions-create']);
});

/** Every object of the document below a place, with the pointer to it. */
function* objectsIn(value: unknown, pointer = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value as Record<string, unknown>];
  for (const [key, member] of Object.entries(value)) yield* objectsIn(member, `${pointer}/${key}`);
}

/** What is written in full in more than one place. */
function repeated(isMeant: (schema: Record<string, unknown>) => boolean): string[][] {
  const places = Map.groupBy(
    [...objectsIn(document)].filter(([, schema]) => isMeant(schema)),
    ([, schema]) => JSON.stringify(schema.enum ?? schema),
  );
  return [...places.values()].filter(({ length }) => length > 1).map((same) => same.map(([at]) => at));
}

test('every body of JSON is a component with a name', () => {
  const bodies = operations().flatMap(({ operation: { requestBody, responses } }) => [
    ...(requestBody === undefined ? [] : [requestBody.content]),
    ...Object.entries(responses).flatMap(([status, { content }]) => (status < '400' ? [content] : [])),
  ]);
  const schemas = bodies.flatMap((content) => Object.entries(content['application/json']?.schema ?? {}));
  expect(schemas.length).toBeGreaterThan(100);
  for (const [key, value] of schemas)
    expect([key, value]).toEqual(['$ref', expect.stringMatching(/\/[A-Z]\w+$/)]);
});

test('every resource and list of words with a declared name is in the document', () => {
  expect(Object.keys(document.components.schemas ?? {})).toEqual(
    expect.arrayContaining([...Object.keys(RESOURCES), ...Object.keys(VOCABULARIES)]),
  );
});

test('a list of words stands in the document once', () => {
  expect(repeated((schema) => Array.isArray(schema.enum))).toEqual([]);
});

test('an object of several fields stands in the document once, save for a list', () => {
  const isObject = ({ type, properties = {} }: Record<string, unknown>) => {
    const names = Object.keys(properties as object);
    return type === 'object' && names.length > 1 && names.join() !== 'items,truncated';
  };
  expect(repeated(isObject)).toEqual([]);
});

test('every integer is bounded within what a double holds', () => {
  const integers = [...objectsIn(document)].filter(([, { type }]) => type === 'integer');
  expect(integers.length).toBeGreaterThan(100);
  for (const [at, { minimum, maximum }] of integers) {
    expect([Number.isSafeInteger(minimum), Number.isSafeInteger(maximum)], at).toEqual([true, true]);
  }
});

test('every field has a description, or a name that says it all', () => {
  const undescribed = [...objectsIn(document.components.schemas)].flatMap(([at, { properties = {} }]) =>
    Object.entries(properties as Record<string, { description?: string }>)
      .filter(([name, { description }]) => description === undefined && !PLAIN_FIELDS.has(name))
      .map(([name]) => `${at}.${name}`),
  );
  expect(undescribed).toEqual([]);
});

test('every parameter and every tag is described', () => {
  for (const { operation } of operations()) {
    for (const { name, description } of operation.parameters)
      expect(description, `${operation.operationId} ${name}`).toMatch(/\w{2}/);
    for (const tag of operation.tags) expect(document.tags.map(({ name }) => name)).toContain(tag);
  }
});

test('every body that an operation needs has an example that its schema accepts', () => {
  for (const { name, body } of all) {
    if (body === undefined) continue;
    if (!(name in EXAMPLES)) expect(body.safeParse({}).success, name).toBe(true);
    else expect(body.safeParse(EXAMPLES[name]).error?.issues, name).toBeUndefined();
  }
  expect(Object.keys(EXAMPLES).filter((example) => !all.some(({ name }) => name === example))).toEqual([]);
});

test('readers are allowed fields that they do not know, and writers are not', () => {
  const { AssetSummary, Person, ScansStartRequest, error_conflict } = document.components.schemas ?? {};
  for (const answer of [AssetSummary, Person, error_conflict])
    expect(answer).not.toHaveProperty('additionalProperties');
  expect(ScansStartRequest).toHaveProperty('additionalProperties', false);
});

test('what may be null is a choice with null, and a map tells of its values', () => {
  for (const [at, schema] of objectsIn(document)) {
    expect(Array.isArray(schema.type), at).toBe(false);
    expect('nullable' in schema || 'propertyNames' in schema, at).toBe(false);
    if (schema.type === 'object') expect(schema.properties ?? schema.additionalProperties, at).toBeDefined();
  }
  const { Metrics, HealthShowReadinessAnswer } = document.components.schemas ?? {};
  expect(Metrics).toHaveProperty('properties.counters.additionalProperties.type', 'integer');
  const integrations = 'properties.integrations.properties.labelWrite.$ref';
  expect(HealthShowReadinessAnswer).toHaveProperty(integrations, '#/components/schemas/IntegrationMode');
});

test('a linter with its recommended rules has nothing to say', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // Nobody but the tenant's own people calls it: there is no licence to name.
      'info-license': 'off',
      // What a source sends is accepted, whatever it is; every other operation has `validation_failed`.
      'operation-4xx-response': 'off',
      // Sign-in redirects a browser.
      'operation-2xx-response': 'off',
    },
  });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
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
