import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linksOf } from '../../../core/audit/canonical-record.ts';
import { AUDIT_CATEGORIES, type AuditDetail, auditText } from '../../../core/audit/event.ts';
import type { PrincipalId, TenantId } from '../../../core/kernel/ids.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const prev = 'a'.repeat(64);
const recordOf = (event: string, seq = 7) => `{"chain":{"prev":"${prev}","seq":${seq}},"event":${event}}`;

const detailName = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,12}$/);
const detail = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const principal = fc.option(fc.string({ unit: 'grapheme' }));
const event = fc.record({
  category: fc.constantFrom(...AUDIT_CATEGORIES),
  details: fc.dictionary(detailName, detail, { maxKeys: 6 }),
  principal,
  target: fc.option(fc.string({ unit: 'binary' })),
  now: fc.integer({ min: 0, max: 4_000_000_000_000 }),
});
const text = event.map(({ category, details, principal: principalId, target, now }) =>
  auditText(
    {
      tenantId: 'tenant-1' as TenantId,
      principalId: principalId as PrincipalId | null,
      correlationId: 'cor_1',
      now,
    },
    { category, type: 'tested', details, ...(target !== null && { target: { kind: 'asset', id: target } }) },
  ),
);

/** What linksOf is to say, by the canonicalizer alone. */
function judged(record: string) {
  try {
    const value = JSON.parse(record);
    if (canonicalize(value) !== record) return null;
    return { prev: value.chain.prev, seq: value.chain.seq, tenantId: value.event.tenantId };
  } catch {
    return null;
  }
}

describe('the text of an audit event', () => {
  test('is canonical whatever the event holds', () => {
    fc.assert(
      fc.property(text, (written) => {
        expect(canonicalize(JSON.parse(written))).toBe(written);
      }),
    );
  });

  test.each([
    ['a name that is all digits', { 10: 1 }],
    ['a number without a canonical form', { count: Number.NaN }],
  ])('is refused for %s', (_, details: Record<string, AuditDetail>) => {
    const source = { tenantId: 'tenant-1' as TenantId, principalId: null, correlationId: 'cor_1', now: 0 };
    expect(() => auditText(source, { category: 'auth', type: 'tested', details })).toThrow(TypeError);
  });
});

describe('the links of a record', () => {
  test('are read from every record that we write', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (written, seq) => {
        expect(linksOf(recordOf(written, seq))).toEqual({ prev, seq, tenantId: 'tenant-1' });
      }),
    );
  });

  test('are what the canonicalizer finds after any edit of the text', () => {
    const fragment = fc.constantFrom(
      '"',
      '\\',
      '\\u0041',
      ',',
      ':',
      '{',
      '}',
      '0',
      '-0',
      '1e3',
      'null',
      ' ',
      '\ud800',
      'é',
    );
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(3), fragment, (written, at, removed, inserted) => {
        const record = recordOf(written);
        const start = at % record.length;
        const edited = record.slice(0, start) + inserted + record.slice(start + removed);
        expect(linksOf(edited)).toEqual(judged(edited));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test.each([
    ['details out of order', '"details":{"b":1,"a":2}'],
    ['a detail twice', '"details":{"a":1,"a":2}'],
    ['a number in another form', '"details":{"a":1.0}'],
    ['a needless escape', '"details":{"a":"\\u0041"}'],
  ])('are refused for %s', (_, details) => {
    const source = { tenantId: 'tenant-1' as TenantId, principalId: null, correlationId: 'cor_1', now: 0 };
    const record = recordOf(auditText(source, { category: 'auth', type: 'tested' }));
    expect(linksOf(record)).not.toBeNull();
    expect(linksOf(record.replace('"details":{}', details))).toBeNull();
  });
});
