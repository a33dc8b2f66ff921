import { expect, test } from 'vitest';
import { sureHits } from '../../../core/assets/shown-signals.ts';

const TAX_NUMBER = { confidence: { context: 0.85 } };
const IBAN = { confidence: {} };

test.each([
  ['a checksum and a word beside it', IBAN, 0.98, { checksum_and_context: 3, checksum: 2 }, 3],
  ['a checksum that proves itself', IBAN, 0.9, { checksum: 4, pattern: 1 }, 4],
  ['many values of one column', IBAN, 0.9, { checksum_of_many: 16, checksum: 1 }, 16],
  ['a word that makes it sure', TAX_NUMBER, 0.85, { context: 2, pattern: 5 }, 2],
  ['a word that does not', IBAN, 0.98, { context: 2, checksum_and_context: 1 }, 1],
  ['a secret, whose form says who issued it', { confidence: { pattern: 0.9 } }, 0.9, { pattern: 2 }, 2],
  ['a detector of the tenant with a checksum', undefined, 0.8, { checksum: 1, sample: 1 }, 1],
  ['nothing that is sure', IBAN, 0.7, { context: 2, pattern: 3 }, 0],
])('hits with %s', (_, detector, confidence, tiers, sure) => {
  const count = Object.values(tiers).reduce((sum, each) => sum + each, 0);
  expect(sureHits({ count, confidence, tiers }, detector)).toBe(sure);
});
