import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AiError, type AiFailure } from '../../../core/ai/provider.ts';
import { ConnectorError, DeltaCursorInvalid } from '../../../core/connectors/connector.ts';
import { notFound } from '../../../core/kernel/errors.ts';
import { retryClassOfStatus } from '../../../core/kernel/http-failure.ts';
import { retryAfterMs } from '../../../core/kernel/retry-after.ts';
import { ThreadFault } from '../../../core/kernel/thread-fault.ts';
import { RETRY_CLASSES, type RetryClass } from '../../../core/kernel/vocabulary.ts';
import { classifyFailure, UnitFailure } from '../../../core/work/failure.ts';

const withStatus = (fields: object) =>
  Object.assign(new Error('GET https://secret.example/x failed'), fields);

describe('what a handler threw', () => {
  test.each(RETRY_CLASSES)(
    'is %s where the source or the handler says so, and waits as the source asks',
    (retryClass) => {
      expect(classifyFailure(new ConnectorError(retryClass, 'source_throttled', 7_000))).toEqual({
        kind: 'failed',
        retryClass,
        safeDiagnostic: 'source_throttled',
        retryAfterMs: 7_000,
      });
      expect(classifyFailure(new UnitFailure(retryClass, 'scope_gone'))).toMatchObject({
        retryClass,
        safeDiagnostic: 'scope_gone',
        retryAfterMs: null,
      });
    },
  );

  test.each([
    ['throttled', 'throttled'],
    ['auth', 'auth'],
    ['refused', 'policy_denied'],
    ['input_bound', 'permanent'],
    ['unavailable', 'transient'],
    ['timeout', 'transient'],
    ['malformed', 'transient'],
    ['aborted', 'transient'],
  ] satisfies [AiFailure, RetryClass][])('of the AI provider: %s is %s', (said, retryClass) => {
    const failed = classifyFailure(new AiError(said, 90_000));
    expect(failed).toMatchObject({ retryClass, retryAfterMs: 90_000 });
    expect(failed.safeDiagnostic).not.toBe('unclassified');
  });

  test.each([
    ['status', 429, 'throttled'],
    ['statusCode', 503, 'throttled'],
    ['statusCode', 401, 'auth'],
    ['status', 403, 'auth'],
    ['status', 500, 'transient'],
    ['status', 408, 'transient'],
    ['status', 404, 'permanent'],
  ] as const)('with a %s of %i is %s, and named by it alone', (field, status, retryClass) => {
    expect(classifyFailure(withStatus({ [field]: status }))).toEqual({
      kind: 'failed',
      retryClass,
      safeDiagnostic: `http_status_${status}`,
      retryAfterMs: null,
    });
  });

  test.each([200, 302, 399, 600, 429.5, '429', Number.NaN, null, {}])(
    'with %s for a status has none',
    (status) => {
      expect(classifyFailure(withStatus({ status }))).toMatchObject({
        retryClass: 'transient',
        safeDiagnostic: 'unexpected_error',
      });
    },
  );

  test('is of our own making where it is a service error, whose status is for callers', () => {
    expect(classifyFailure(notFound())).toMatchObject({
      retryClass: 'transient',
      safeDiagnostic: 'unexpected_error',
    });
    expect(classifyFailure(new DeltaCursorInvalid())).toMatchObject({ retryClass: 'permanent' });
  });

  test('is permanent if a thread has a bug, which the same bytes meet again', () => {
    expect(classifyFailure(new ThreadFault({ name: 'TypeError', message: 'canary', stack: '' }))).toEqual({
      kind: 'failed',
      retryClass: 'permanent',
      safeDiagnostic: 'extraction_fault',
      retryAfterMs: null,
    });
  });

  test('says nothing of what it was, whatever it was', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), (thing, text) => {
        for (const thrown of [thing, new Error(text), withStatus({ status: thing }), text]) {
          const { retryClass, safeDiagnostic } = classifyFailure(thrown);
          expect(RETRY_CLASSES).toContain(retryClass);
          expect(safeDiagnostic).toMatch(/^(?:unexpected_error|http_status_[45]\d\d)$/);
        }
      }),
    );
  });
});

test('every status of a failure has a class, and only a source under load is throttled', () => {
  fc.assert(
    fc.property(fc.integer({ min: 400, max: 599 }), (status) => {
      const retryClass = retryClassOfStatus(status);
      expect(RETRY_CLASSES).toContain(retryClass);
      expect(retryClass === 'throttled').toBe(status === 429 || status === 503);
      if (status >= 500) expect(['throttled', 'transient']).toContain(retryClass);
    }),
  );
});

describe('Retry-After', () => {
  const NOW = Date.UTC(2026, 0, 1);

  test('in seconds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9_999_999_999 }),
        fc.constantFrom('', ' ', '\t'),
        (seconds, space) => {
          expect(retryAfterMs(`${space}${seconds}${space}`, NOW)).toBe(seconds * 1_000);
        },
      ),
    );
  });

  test('as an HTTP date, nothing once it has passed', () => {
    const date = fc.date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (at) => {
        const whole = Math.floor(at.getTime() / 1_000) * 1_000;
        expect(retryAfterMs(at.toUTCString(), NOW)).toBe(Math.max(0, whole - NOW));
      }),
    );
  });

  test.each([
    null,
    '',
    ' ',
    '-1',
    '1.5',
    '1e3',
    '+1',
    '0x10',
    'soon',
    'NaN',
    'Infinity',
    '99999999999',
    '2026-01-01',
    'Xxx, 99 Yyy 2026 99:99:99 GMT',
  ])('of %j asks for nothing that is known', (header) => {
    expect(retryAfterMs(header, NOW)).toBeNull();
  });

  test('is a time or nothing, whatever stands there', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const asked = retryAfterMs(header, NOW);
        expect(asked === null || (Number.isFinite(asked) && asked >= 0)).toBe(true);
      }),
    );
  });
});
