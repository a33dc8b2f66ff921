import { COMMON_SHAPE } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const ngNin = defineDetector({
  id: 'ng_nin',
  version: 1,
  family: 'national_id',
  countries: ['NG'],
  title: 'Nigerian national identification number',
  gate: { kind: 'digits', least: 11, reach: 16 },
  // Eleven digits without a public check digit.
  patterns: [{ regex: token('[1-9]\\d{3}[ -]?\\d{3}[ -]?\\d{4}'), context: 'required' }],
  context: ['nin', 'nin number', 'national identification number', 'nimc', 'nin slip', 'virtual nin'],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['NIN 48172936504', 'NIMC: 4817 293 6504', 'national identification number 71829304651'],
    misses: ['48172936504', 'NIN 4817293650a', 'NIN 481729365041', 'canine 48172936504'],
  },
});
