import { expect, test } from 'vitest';
import { z } from 'zod';
import { parse } from '../../../core/http/body.ts';
import { errorEnvelope, errorSchema, toServiceError } from '../../../core/http/errors.ts';
import { ERROR_STATUS, type ErrorCode, ServiceError } from '../../../core/kernel/errors.ts';
import { bounded } from '../../../core/kernel/list.ts';

const CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

test.each(CODES)('the body of %s is what its schema says', (code) => {
  const error = new ServiceError(code, 'Said to the caller.', [{ path: 'a.b', message: 'Wrong.' }]);
  const envelope = errorEnvelope(error, 'cor-1');
  expect(errorSchema(code).parse(envelope)).toEqual(envelope);
});

test('the codes have the statuses of the interface', () => {
  expect(ERROR_STATUS).toEqual({
    validation_failed: 400,
    authentication_required: 401,
    license_required: 402,
    not_permitted: 403,
    csrf_token_invalid: 403,
    not_found: 404,
    method_not_allowed: 405,
    conflict: 409,
    payload_too_large: 413,
    unsupported_media_type: 415,
    blocked_capability: 422,
    internal_error: 500,
    not_configured: 501,
    overloaded: 503,
  });
});

test('a validation error without issues carries its message as one', () => {
  const envelope = errorEnvelope(new ServiceError('validation_failed', 'Not so.'), 'cor-1');
  expect(envelope).toEqual({ error: 'validation_failed', issues: [{ path: '', message: 'Not so.' }] });
});

test('nothing of what was thrown is told unless it was meant to be', () => {
  for (const thrown of [new Error('secret'), 'secret', null, { code: 'not_found', message: 'secret' }]) {
    const envelope = errorEnvelope(toServiceError(thrown), 'cor-1');
    expect(envelope).toEqual({ error: 'internal_error', correlationId: 'cor-1' });
  }
});

const issuesOf = (schema: z.ZodType, value: unknown) => {
  try {
    parse(schema, value);
    return null;
  } catch (error) {
    return error instanceof ServiceError ? error.issues : error;
  }
};

test('issues name fields of the schema and repeat nothing that the caller sent', () => {
  const schema = z.strictObject({ kind: z.enum(['a', 'b']), list: z.array(z.string().max(3)) });
  const canary = 'canary-value';
  const issues = issuesOf(schema, { kind: canary, list: ['ok', canary], [canary]: canary });
  expect(issues).toHaveLength(3);
  expect(JSON.stringify(issues)).not.toContain(canary);
  expect(issues).toMatchObject([{ path: 'kind' }, { path: 'list.1' }, { path: '' }]);
});

test('issues are bounded', () => {
  const schema = z.strictObject({ list: z.array(z.string()) });
  expect(issuesOf(schema, { list: Array.from({ length: 10_000 }, () => 1) })).toHaveLength(50);
});

test('text that cannot be stored is refused wherever it stands', () => {
  const schema = z.strictObject({ a: z.record(z.string(), z.array(z.string())) });
  expect(issuesOf(schema, { a: { b: ['fine', '😀'] } })).toBeNull();
  for (const bad of ['\0', 'x\0y', '\ud800', '\udc00\ud800']) {
    expect(issuesOf(schema, { a: { b: ['fine', bad] } })).toMatchObject([{ path: 'a.b.1' }]);
  }
});

test('a list says whether there was more', () => {
  expect(bounded([1, 2, 3], 3)).toEqual({ items: [1, 2, 3], truncated: false });
  expect(bounded([1, 2, 3, 4], 3)).toEqual({ items: [1, 2, 3], truncated: true });
});
