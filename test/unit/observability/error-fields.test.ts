import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConnectorError, DeltaCursorInvalid } from '../../../core/connectors/connector.ts';
import { notFound } from '../../../core/kernel/errors.ts';
import { errorFields } from '../../../core/observability/error-fields.ts';
import { createLogger } from '../../../core/observability/log.ts';

const withCode = (error: Error, code: unknown) => Object.assign(error, { code });
const databaseError = (code: string) =>
  withCode(new pg.DatabaseError('relation "canary"', 20, 'error'), code);

class CanaryPayroll extends RangeError {}
const named = new Error('canary');
named.name = 'Canary Payroll';

describe('what is told of an error', () => {
  it.each<[unknown, ReturnType<typeof errorFields>]>([
    [new TypeError('canary'), { errorClass: 'TypeError' }],
    [notFound('canary'), { errorClass: 'ServiceError', errorCode: 'not_found' }],
    [new ConnectorError('auth', 'canary'), { errorClass: 'ConnectorError' }],
    [new DeltaCursorInvalid(), { errorClass: 'DeltaCursorInvalid' }],
    [databaseError('40001'), { errorClass: 'DatabaseError', errorCode: '40001' }],
    [databaseError('42P01'), { errorClass: 'DatabaseError', errorCode: '42P01' }],
    [databaseError('XX000'), { errorClass: 'DatabaseError', errorCode: 'XX000' }],
    [z.string().safeParse(1).error, { errorClass: 'ZodError' }],
    [AbortSignal.abort().reason, { errorClass: 'AbortError' }],
    [withCode(new Error('canary'), 'ECONNREFUSED'), { errorClass: 'Error', errorCode: 'ECONNREFUSED' }],
    [
      withCode(new Error('canary'), 'ERR_WORKER_OUT_OF_MEMORY'),
      { errorClass: 'Error', errorCode: 'ERR_WORKER_OUT_OF_MEMORY' },
    ],
    [
      new TypeError('fetch failed', { cause: withCode(new Error('canary'), 'ENOTFOUND') }),
      { errorClass: 'TypeError', errorCode: 'ENOTFOUND' },
    ],
    [
      new TypeError('fetch failed', { cause: withCode(new Error('canary'), 'CERT_HAS_EXPIRED') }),
      { errorClass: 'TypeError', errorCode: 'CERT_HAS_EXPIRED' },
    ],
    [withCode(new Error('canary'), 'CERT_OF_CANARY'), { errorClass: 'Error' }],
    [new CanaryPayroll('canary'), { errorClass: 'RangeError' }],
    [named, { errorClass: 'Error' }],
    [withCode(new Error('canary'), 'canary_payroll'), { errorClass: 'Error' }],
    [withCode(new Error('canary'), 'CANAR'), { errorClass: 'Error' }],
    [withCode(new Error('canary'), 'ELIZABETH'), { errorClass: 'Error' }],
    [withCode(new Error('canary'), '10115'), { errorClass: 'Error' }],
    [withCode(new Error('canary'), 'EAI_AGAIN'), { errorClass: 'Error', errorCode: 'EAI_AGAIN' }],
    [withCode(new Error('canary'), 'toString'), { errorClass: 'Error' }],
    [withCode(new Error('canary'), 42), { errorClass: 'Error' }],
    ['canary', { errorClass: 'NotAnError' }],
    [null, { errorClass: 'NotAnError' }],
    [{ name: 'canary', code: '40001' }, { errorClass: 'NotAnError' }],
  ])('is a safe class and code: %s', (thrown, fields) => {
    expect(errorFields(thrown)).toEqual(fields);
  });

  it('is all that a log line holds of it', () => {
    const lines: string[] = [];
    const log = createLogger({
      level: 'info',
      clock: () => 0,
      destination: { write: (line) => void lines.push(line) },
    });
    log.error('internal_error', { count: 1 }, databaseError('23505'));
    log.error('internal_error', undefined, new Error('canary', { cause: new Error('canary') }));
    expect(lines[0]).toContain('"errorClass":"DatabaseError","errorCode":"23505"');
    expect(lines[1]).toContain('"errorClass":"Error"');
    expect(lines.join('')).not.toMatch(/canary|stack|\.ts/i);
  });
});
