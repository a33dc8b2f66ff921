import { validate as validateTckn } from 'stdnum/lib/cjs/tr/tckimlik.js';
import { judgeBy, sumsTo } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const trNationalId = defineDetector({
  id: 'tr_national_id',
  version: 2,
  family: 'national_id',
  countries: ['TR'],
  title: 'Turkish identity number',
  randomMatch: 1 / 108,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [{ regex: token('[1-9]\\d{9}[02468]'), context: 'optional' }],
  context: [
    'tc kimlik',
    'tckn',
    'tc no',
    'kimlik no',
    'kimlik',
    't c kimlik no',
    'kimlik numarasi',
    'turkish id',
  ],
  judge: judgeBy(validateTckn, sumsTo([3, 1, 3, 1, 3, 1, 3, 1, 3, 1], 10)),
  examples: {
    hits: ['TC Kimlik No: 10000000146', '43105875722', 'TCKN 84897660660'],
    misses: ['TCKN 10000000145', 'TCKN 12345678900', 'TCKN 01000000146', 'TCKN 100000001460'],
  },
});
