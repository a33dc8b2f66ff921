import { validate as validateUen } from 'stdnum/lib/cjs/sg/uen.js';
import { judgeBy, weigh } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** Check letters by remainder modulo 11, for citizens (S, T), foreigners (F, G) and foreigners since 2022 (M). */
const CHECK_LETTERS: Readonly<Record<string, { letters: string; offset: number }>> = {
  S: { letters: 'JZIHGFEDCBA', offset: 0 },
  T: { letters: 'JZIHGFEDCBA', offset: 4 },
  F: { letters: 'XWUTRQPNMLK', offset: 0 },
  G: { letters: 'XWUTRQPNMLK', offset: 4 },
  M: { letters: 'XWUTRQPNJLK', offset: 3 },
};

/** Weights 2, 7, 6, 5, 4, 3, 2. Invented examples often have a wrong letter, so such a number still counts as a `shape`. */
function judgeNric(match: string): Verdict {
  const number = compact(match);
  const rule = CHECK_LETTERS[number.charAt(0)];
  if (rule === undefined) return 'no';
  const sum = weigh(number.slice(1), [2, 7, 6, 5, 4, 3, 2]) + rule.offset;
  return rule.letters[sum % 11] === number[8] ? 'checksum' : 'shape';
}

export const sgNric = defineDetector({
  id: 'sg_nric',
  version: 2,
  family: 'national_id',
  countries: ['SG'],
  title: 'Singapore identity number (NRIC, FIN)',
  randomMatch: 1 / 135,
  gate: { kind: 'digits', least: 7, reach: 16 },
  patterns: [{ regex: token('[STFGM]\\d{7}[A-Z]', 'i'), context: 'optional' }],
  context: [
    'nric',
    'fin',
    'nric no',
    'nric number',
    'fin number',
    'singpass',
    'identity card',
    'identification number',
  ],
  judge: judgeNric,
  confidence: { pattern: 0.15, context: 0.5 },
  examples: {
    hits: ['NRIC S2740116C', 'F2346401L', 'T1234567Z', 'FIN: G1234567X'],
    misses: ['NRIC A1234567Z', 'NRIC S27401161C', 'NRIC S2740116', 'NRIC SS2740116C'],
  },
});

export const sgUen = defineDetector({
  id: 'sg_uen',
  version: 2,
  family: 'tax_id',
  countries: ['SG'],
  title: 'Singapore unique entity number',
  randomMatch: 1 / 26,
  gate: { kind: 'digits', least: 6, reach: 16 },
  patterns: [
    { regex: token('\\d{8,9}[A-Z]|[RST]\\d{2}[A-Z]{2}\\d{4}[A-Z]'), context: 'optional' },
    { regex: token('\\d{8,9}[A-Z]|[RST]\\d{2}[A-Z]{2}\\d{4}[A-Z]', 'i'), context: 'required' },
  ],
  context: [
    'uen',
    'uen no',
    'unique entity',
    'unique entity number',
    'acra',
    'gst reg',
    'business registration',
  ],
  judge: judgeBy(validateUen),
  examples: {
    hits: ['UEN 53125226D', '200882521N', 'UEN T08LL6418G', 'uen 47192830e'],
    misses: ['UEN 53125226E', 'UEN 53125226', 'UEN 5312522D', 'UEN T08LL6418H', '47192830e'],
  },
});
