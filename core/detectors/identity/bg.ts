import { validate as validateEgn } from 'stdnum/lib/cjs/bg/egn.js';
import { DAY } from '../checks/date-part.ts';
import { judgeBy, sumsTo } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const bgPersonalId = defineDetector({
  id: 'bg_personal_id',
  version: 3,
  family: 'national_id',
  countries: ['BG'],
  title: 'Bulgarian personal number (EGN)',
  randomMatch: 1 / 90,
  gate: { kind: 'digits', least: 10, reach: 16 },
  patterns: [{ regex: token(`\\d{2}(?:[024][1-9]|[135][0-2])${DAY}\\d{4}`), context: 'optional' }],
  context: [
    'егн',
    'единен граждански номер',
    'egn',
    'egn number',
    'edinen grazhdanski nomer',
    'uniform civil number',
    'civil number',
    'bulgarian id',
  ],
  judge: judgeBy(validateEgn, sumsTo([2, 4, 8, 5, 10, 9, 7, 3, 6, -1], 11, [0, 10])),
  examples: {
    hits: ['ЕГН: 7523169263', 'EGN 8507155542', '8507151866', 'civil number: 8507159759'],
    misses: ['EGN 8507155543', 'EGN 8513155542', 'EGN 85071555420', 'EGN 850715554'],
  },
});
