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
