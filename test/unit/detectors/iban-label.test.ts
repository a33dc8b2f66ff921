import { describe, expect, it } from 'vitest';
import { detect } from '../../../core/detectors/engine/detect.ts';
import { iban } from '../../../core/detectors/finance/iban.ts';

describe('an IBAN with wrong check digits', () => {
  it.each([
    'IBAN: DE88 3704 0044 0532 0130 00',
    'IBAN-Nr.: DE88370400440532013000',
    '"iban": "DE88370400440532013000"',
    '<iban>DE88370400440532013000</iban>',
  ])('counts a little directly behind its label: %j', (text) => {
    expect(detect(text, [iban])).toMatchObject([{ count: 1, confidence: 0.3, tiers: { context: 1 } }]);
  });

  it('does not count elsewhere', () => {
    expect(detect('IBAN\nDE88370400440532013000', [iban])).toEqual([]);
    expect(detect('account DE88370400440532013000', [iban])).toEqual([]);
  });
});
