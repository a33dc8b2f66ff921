import { defineDetector, type Verdict } from './detector.ts';
import { compact, token } from './token.ts';

export const ukNino = defineDetector({
  id: 'uk_nino',
  version: 1,
  family: 'national_id',
  title: 'UK national insurance number',
  gate: { kind: 'digits', least: 6, reach: 16 },
  patterns: [
    {
      regex: token(
        '(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?\\d{2}[ -]?\\d{2}[ -]?\\d{2}[ -]?[A-D]',
        'i',
      ),
      context: 'optional',
    },
  ],
  context: ['national insurance', 'ni number', 'ni no', 'nino', 'insurance number', 'hmrc', 'paye', 'ni'],
  confidence: { pattern: 0.65, context: 0.9 },
  examples: {
    hits: ['National Insurance number AB 12 34 56 C', 'AA123456B', 'ni no: hh 01 02 03 d'],
    misses: ['GB123456A', 'AA123456E', 'DA123456A', 'AAA123456B', 'AA1234567B'],
  },
});

/** Weights 10 to 2, remainder to 11. */
function judgeNhs(match: string): Verdict {
  const digits = [...compact(match)].map(Number);
  const sum = digits.slice(0, 9).reduce((total, digit, i) => total + digit * (10 - i), 0);
  const same = digits.every((digit) => digit === digits[0]);
  return !same && (11 - (sum % 11)) % 11 === digits[9] ? 'checksum' : 'no';
}

export const ukNhs = defineDetector({
  id: 'uk_nhs',
  version: 1,
  family: 'health',
  title: 'UK NHS number',
  gate: { kind: 'digits', least: 10, reach: 16 },
  // Ten digits are a telephone number more often than not, and one in eleven passes.
  patterns: [{ regex: token('\\d{3}([ -]?)\\d{3}\\1\\d{4}'), context: 'required' }],
  context: ['nhs', 'nhs number', 'nhs no', 'national health service', 'health service', 'chi number'],
  judge: judgeNhs,
  examples: {
    hits: ['NHS number 943 476 5919', 'nhs no 9434765919', 'NHS: 401-023-2137'],
    misses: ['943 476 5919', 'NHS number 943 476 5918', 'NHS number 000 000 0000', 'NHS 19434765919'],
  },
});
