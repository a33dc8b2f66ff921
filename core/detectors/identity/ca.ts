import { validate as validateSin } from 'stdnum/lib/cjs/ca/sin.js';
import { judgeBy } from '../checks/judge-by.ts';
import { isLuhn } from '../checks/luhn.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

const judge = judgeBy(validateSin, isLuhn);

export const caSin = defineDetector({
  id: 'ca_sin',
  version: 2,
  family: 'national_id',
  countries: ['CA'],
  title: 'Canadian social insurance number',
  randomMatch: 1 / 11,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [{ regex: token('\\d{3}([ -]?)\\d{3}\\1\\d{3}'), context: 'optional' }],
  context: [
    ...['sin', 'sin number', 'social insurance', 'social insurance number', 'nas', 'assurance sociale'],
    ...['numero d assurance sociale', 'canada revenue', 'service canada'],
  ],
  // Numbers with a leading zero are not issued and occur only in examples.
  judge: (match) => (compact(match).startsWith('0') && judge(match) === 'checksum' ? 'sample' : judge(match)),
  examples: {
    hits: ['SIN 432 738 524', '130692544', 'mon NAS: 258 933 688', 'SIN 046 454 286'],
    misses: ['SIN 432 738 525', 'SIN 432-738 524', 'SIN 4327385240', 'SIN 999 999 999'],
  },
});
