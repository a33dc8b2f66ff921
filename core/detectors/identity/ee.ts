import { validate as validateIk } from 'stdnum/lib/cjs/ee/ik.js';
import { DAY, MONTH } from '../checks/date-part.ts';
import { judgeBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const eeLtPersonalCode = defineDetector({
  id: 'ee_lt_personal_code',
  version: 2,
  family: 'national_id',
  countries: ['EE', 'LT'],
  title: 'Estonian or Lithuanian personal code',
  randomMatch: 1 / 450,
  gate: { kind: 'digits', least: 11, reach: 16 },
  // Both countries use the same checksum.
  patterns: [{ regex: token(`[1-6]\\d{2}${MONTH}${DAY}\\d{4}`), context: 'optional' }],
  context: [
    'isikukood',
    'asmens kodas',
    'personal code',
    'personal identification code',
    'isikukoodi',
    'a k',
  ],
  judge: judgeBy(validateIk),
  examples: {
    hits: ['isikukood 38507124730', '38507101682', 'asmens kodas: 38507183361'],
    misses: [
      'isikukood 38507124731',
      'isikukood 38513124730',
      'isikukood 385071247300',
      'isikukood 3850712473',
    ],
  },
});
