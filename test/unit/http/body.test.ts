import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parse } from '../../../core/http/body.ts';
import { ServiceError } from '../../../core/kernel/errors.ts';

const Union = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('a'), one: z.string() }),
  z.strictObject({ kind: z.literal('b'), two: z.string() }),
]);
const Plain = z.strictObject({ one: z.string() });

describe.each([
  ['a union', Union],
  ['an object', Plain],
])('for %s', (_, schema) => {
  test.each([[null], [true], [7], ['text'], [[]], [[null]], [{}], [{ kind: null }], [{ kind: 'c' }]])(
    '%j is no body, and says so',
    (value) => {
      const attempt = () => parse(schema, value);
      expect(attempt).toThrow(ServiceError);
      expect(attempt).toThrow(expect.objectContaining({ code: 'validation_failed' }));
    },
  );
});

test('a field of another member is named beside those that there are', () => {
  const attempt = () => parse(Union, { kind: 'a', one: 'x', two: 'y' });
  expect(attempt).toThrow(
    expect.objectContaining({
      issues: [expect.objectContaining({ message: expect.stringContaining('one') })],
    }),
  );
});

test('what is missing is called required, however it is declared', () => {
  const Body = z.strictObject({
    text: z.string().min(1),
    count: z.int(),
    word: z.enum(['a', 'b']),
    list: z.array(z.strictObject({ id: z.string() })),
    of: Union,
    one: z.union([z.string(), z.number()]),
  });
  const issuesOf = (schema: z.ZodType, value: unknown) => {
    try {
      return parse(schema, value);
    } catch (error) {
      return (error as ServiceError).issues?.map(({ path, message }) => [path, message]);
    }
  };
  expect(issuesOf(Body, { list: [{}], of: {} })).toEqual(
    ['text', 'count', 'word', 'list.0.id', 'of.kind', 'one'].map((path) => [path, 'Required.']),
  );
  const rule = Plain.partial().refine(({ one }) => one !== undefined, {
    path: ['one'],
    message: 'With two.',
  });
  expect(issuesOf(rule, {})).toEqual([['one', 'With two.']]);
  expect(issuesOf(Plain, { one: null })).not.toEqual([['one', 'Required.']]);
});
