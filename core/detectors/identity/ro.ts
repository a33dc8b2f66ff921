import { validate as validateCnp } from 'stdnum/lib/cjs/ro/cnp.js';
import { DAY, MONTH } from '../checks/date-part.ts';
import { judgeBy, sumsTo } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const roCnp = defineDetector({
  id: 'ro_cnp',
  version: 2,
  family: 'national_id',
  countries: ['RO'],
  title: 'Romanian personal number (CNP)',
  randomMatch: 1 / 690,
  gate: { kind: 'digits', least: 13, reach: 16 },
  patterns: [{ regex: token(`[1-9]\\d{2}${MONTH}${DAY}\\d{6}`), context: 'optional' }],
  context: [
    'cnp',
    'cod numeric personal',
    'codul numeric personal',
    'buletin',
    'carte de identitate',
    'personal code',
  ],
  judge: judgeBy(validateCnp, sumsTo([2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9, -1], 11, [0, 9])),
  examples: {
    hits: ['CNP 1850715020775', '1850715512774', 'cod numeric personal: 1850715350041'],
    misses: ['CNP 1850715020776', 'CNP 1851315020775', 'CNP 18507150207750', 'CNP 185071502077'],
  },
});
