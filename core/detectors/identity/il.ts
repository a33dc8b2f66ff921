import { validate as validateIdnr } from 'stdnum/lib/cjs/il/idnr.js';
import { judgeBy } from '../checks/judge-by.ts';
import { isLuhn } from '../checks/luhn.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const ilIdNumber = defineDetector({
  id: 'il_id_number',
  version: 3,
  family: 'national_id',
  countries: ['IL'],
  title: 'Israeli identity number',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 8, reach: 16 },
  patterns: [
    { regex: token('\\d{8}-?\\d'), context: 'optional' },
    { regex: token('\\d{8}'), context: 'required' },
  ],
  context: [
    'תעודת זהות',
    'מספר זהות',
    'ת ז',
    'teudat zehut',
    'israeli id',
    'israel id',
    'mispar zehut',
    'id number',
    'identity number',
    'tz',
  ],
  judge: judgeBy(validateIdnr, isLuhn),
  examples: {
    hits: [
      'תעודת זהות: 375975935',
      'Teudat Zehut 375975935',
      'Israeli ID: 35926996-6',
      'identity number 219486610',
      '337090443',
    ],
    misses: ['375975934', 'Israeli ID 375975936', 'Israeli ID 3759759350', 'Israeli ID 000000000'],
  },
});
