import { expect, test } from 'vitest';
import { z } from 'zod';
import { DomainSchema } from '../../../core/governance/taxonomy-schema.ts';
import { schemaComponents } from '../../../core/http/components.ts';
import type { Endpoint } from '../../../core/http/declaration.ts';
import { anyone } from '../../../core/http/endpoint.ts';
import { inOneManner } from '../../../core/http/json-schema.ts';
import { SEVERITIES } from '../../../core/kernel/vocabulary.ts';

const written = (schema: z.ZodType) => inOneManner(z.toJSONSchema(schema));

const SEVERITY = { $ref: '#/components/schemas/Severity' };

test('a list of words with a component refers to it and keeps its default', () => {
  expect(written(z.enum(SEVERITIES))).toEqual(SEVERITY);
  expect(written(z.enum(SEVERITIES).default('low'))).toEqual({ ...SEVERITY, default: 'low' });
  expect(written(z.enum(['low', 'high']))).toEqual({ type: 'string', enum: ['low', 'high'] });
});

test('what may be null is a choice with null, whatever it is', () => {
  expect(written(z.string().max(5).nullable())).toEqual({
    anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }],
  });
  expect(written(z.enum(SEVERITIES).nullable())).toEqual({ anyOf: [SEVERITY, { type: 'null' }] });
});

test('a map has named fields where its keys are known', () => {
  const additionalProperties = { type: 'boolean' };
  expect(written(z.record(z.string(), z.boolean()))).toEqual({ type: 'object', additionalProperties });
  expect(written(z.record(z.enum(['a', 'b']), z.boolean()))).toEqual({
    type: 'object',
    properties: { a: additionalProperties, b: additionalProperties },
    required: ['a', 'b'],
    additionalProperties: false,
  });
});

test('a field may be called as a keyword is', () => {
  const fields = z.object({ type: z.string(), enum: z.boolean(), propertyNames: z.string() });
  expect(written(fields)).toMatchObject({
    properties: { type: { type: 'string' }, enum: { type: 'boolean' }, propertyNames: { type: 'string' } },
  });
});

test('a resource that is asked otherwise than it is answered is refused', () => {
  const endpoint = {
    name: 'x-change',
    method: 'POST',
    path: '/api/x',
    summary: '',
    access: anyone,
    transaction: 'none',
    body: z.strictObject({ domain: DomainSchema }),
    response: DomainSchema,
    handle: () => undefined,
  } as const satisfies Endpoint;
  expect(() => schemaComponents([endpoint])).toThrow('the schema Domain differs');
});
