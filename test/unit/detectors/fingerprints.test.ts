import { describe, expect, test } from 'vitest';
import { findHits } from '../../../core/detectors/engine/detect.ts';
import { fingerprintOf, fingerprintsOf } from '../../../core/detectors/fingerprints.ts';
import { DETECTORS } from '../../../core/detectors/index.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');
const OTHER_KEY = Buffer.alloc(32, 2).toString('base64');
const IBAN = { id: 'iban', family: 'bank' } as const;
const of = (text: string, key = KEY) => fingerprintsOf(key, text, findHits(text, DETECTORS));

describe('a fingerprint', () => {
  test('ignores case, width and the separators of numbers', () => {
    const all = ['DE89 3704 0044 0532 0130 00', 'de89370400440532013000', 'ＤＥ89-3704-0044-0532-0130-00'];
    expect(new Set(all.map((value) => fingerprintOf(KEY, IBAN, value))).size).toBe(1);
  });

  test('keeps the dots of an address apart', () => {
    const address = { id: 'ipv4_address', family: 'network' } as const;
    expect(fingerprintOf(KEY, address, '10.1.11.1')).not.toBe(fingerprintOf(KEY, address, '10.11.1.1'));
  });

  test('differs by key and by detector', () => {
    const value = 'DE89370400440532013000';
    expect(fingerprintOf(KEY, IBAN, value)).not.toBe(fingerprintOf(OTHER_KEY, IBAN, value));
    expect(fingerprintOf(KEY, IBAN, value)).not.toBe(fingerprintOf(KEY, { ...IBAN, id: 'bic' }, value));
  });

  test('has ten hexadecimal digits', () => {
    expect(fingerprintOf(KEY, IBAN, 'x')).toMatch(/^[0-9a-f]{10}$/);
  });
});

describe('the fingerprints of a text', () => {
  test('count the hits of each value by tier', () => {
    const found = of('IBAN: DE15 7015 0000 0094 0634 18, IBAN: DE15701500000094063418');
    expect(found.iban).toEqual({
      [fingerprintOf(KEY, IBAN, 'DE15701500000094063418')]: {
        confidence: 0.98,
        tiers: { checksum_and_context: 2 },
      },
    });
  });

  test('are those of the 32 most frequent values', () => {
    const addresses = Array.from({ length: 60 }, (_, at) => `mail person${at}@example.org`);
    const found = of([...addresses, 'mail person59@example.org'].join('\n'));
    const last = fingerprintOf(KEY, { id: 'email_address', family: 'contact' }, 'person59@example.org');
    expect(Object.keys(found.email_address ?? {})).toHaveLength(32);
    expect(found.email_address?.[last]?.tiers).toBeDefined();
  });

  test('hold no part of a value', () => {
    expect(JSON.stringify(of('mail anna.miller@example.org'))).not.toMatch(/anna|miller|example/);
  });
});
