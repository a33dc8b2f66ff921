import { validate as validateOib } from 'stdnum/lib/cjs/hr/oib.js';
import { iso7064mod10x11validate } from 'stdnum/lib/cjs/util/iso7064.js';
import { judgeBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const hrOib = defineDetector({
  id: 'hr_oib',
  version: 2,
  family: 'national_id',
  countries: ['HR'],
  title: 'Croatian personal number (OIB)',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [{ regex: token('(?:HR ?)?\\d{11}'), context: 'optional' }],
  context: ['oib', 'osobni identifikacijski broj', 'identifikacijski broj', 'porezni broj', 'pdv', 'tax id'],
  judge: judgeBy(validateOib, (number) => iso7064mod10x11validate(number.replace('HR', ''))),
  examples: {
    hits: ['OIB 64280810778', '88703163273', 'OIB: HR85245428637'],
    misses: ['OIB 64280810779', 'OIB 642808107780', 'OIB 6428081077', 'OIB HRR64280810778'],
  },
});
