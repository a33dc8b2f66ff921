import validator from 'validator';
import { defineDetector } from './detector.ts';
import { token } from './token.ts';

export const plPesel = defineDetector({
  id: 'pl_pesel',
  version: 1,
  family: 'national_id',
  title: 'Polish identity number (PESEL)',
  gate: { kind: 'digits', least: 11, reach: 14 },
  patterns: [{ regex: token('\\d{2}[0-389]\\d[0-3]\\d{6}|\\d{2}[4-7]\\d[0-3]\\d{6}'), context: 'optional' }],
  context: ['pesel', 'nr pesel', 'numer pesel', 'ewidencyjny', 'identity', 'dowod osobisty', 'obywatel'],
  judge: (match) => (validator.isTaxID(match, 'pl-PL') ? 'checksum' : 'no'),
  confidence: { checksum: 0.5, checksum_and_context: 0.95 },
  examples: {
    hits: ['PESEL 44051401359', '02070803628', 'Nr PESEL: 92032100157'],
    misses: ['PESEL 44051401358', '144051401359', '44991401359', '44051401359.5'],
  },
});
