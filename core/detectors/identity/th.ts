import { validate as validateIdnr } from 'stdnum/lib/cjs/th/idnr.js';
import { judgeBy, sumsTo } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

/** Codes of the provinces (ISO 3166-2:TH). */
const PROVINCE = '(?:1\\d|2[0-7]|[34]\\d|5[0-8]|6[0-7]|7[0-7]|8[0-6]|9[0-6])';

export const thNationalId = defineDetector({
  id: 'th_national_id',
  version: 3,
  family: 'national_id',
  countries: ['TH'],
  title: 'Thai national identity number',
  randomMatch: 1 / 16,
  gate: { kind: 'digits', least: 13, reach: 16 },
  patterns: [
    { regex: token(`[1-8]${PROVINCE}\\d{10}`), context: 'optional' },
    { regex: token(`[1-8]([ -])${PROVINCE}\\d{2}\\1\\d{5}\\1\\d{2}\\1\\d`), context: 'optional' },
  ],
  context: [
    'เลขประจำตัวประชาชน',
    'เลขบัตรประชาชน',
    'thai id',
    'thai national id',
    'tnin',
    'national id',
    'thai',
    'citizen id',
    'id card',
  ],
  judge: judgeBy(validateIdnr, sumsTo([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 11, [0, 1])),
  examples: {
    hits: [
      'เลขประจำตัวประชาชน 1-1994-76866-37-1',
      '2345678901234',
      'Thai ID 1-1994-76866-37-1',
      'citizen id: 3666670003292',
    ],
    misses: [
      'Thai ID 1234567890123',
      'Thai ID 1284567890124',
      'Thai ID 0234567890124',
      'Thai ID 23456789012340',
    ],
  },
});
