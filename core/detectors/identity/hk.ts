import { validate as validateHkid } from 'stdnum/lib/cjs/hk/hkid.js';
import { judgeBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const hkIdCard = defineDetector({
  id: 'hk_id_card',
  version: 3,
  family: 'national_id',
  countries: ['HK'],
  title: 'Hong Kong identity card number',
  randomMatch: 1 / 11.5,
  gate: { kind: 'digits', least: 6, reach: 16 },
  patterns: [
    { regex: token('[A-Z]{1,2}\\d{6} ?[([][0-9A][)\\]]', 'i'), context: 'optional' },
    { regex: token('[A-Z]{1,2}\\d{6}[ -]?[0-9A]', 'i'), context: 'required' },
  ],
  context: [
    '身份證',
    '身份證號碼',
    '香港身份證',
    'hkid',
    'hk id',
    'hong kong id',
    'hong kong identity card',
    'identity card',
    'hkid no',
    'id card',
  ],
  judge: judgeBy(validateHkid),
  examples: {
    hits: [
      '身份證號碼：A738524(5)',
      'A738524(5)',
      'HKID Z525965(8)',
      'Hong Kong ID: A7922437',
      'hkid a7922437',
    ],
    misses: ['A738524(6)', 'A7922437', 'HKID AAA738524(5)', 'HKID A73852(5)'],
  },
});
