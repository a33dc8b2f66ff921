import { validate as validateRic } from 'stdnum/lib/cjs/cn/ric.js';
import { DAY, MONTH } from './date-part.ts';
import { defineDetector } from './detector.ts';
import { judgeBy } from './judge-by.ts';
import { token } from './token.ts';

const judge = judgeBy(validateRic);

export const cnResidentId = defineDetector({
  id: 'cn_resident_id',
  version: 2,
  family: 'national_id',
  countries: ['CN'],
  title: 'Chinese resident identity number',
  randomMatch: 1 / 22_000,
  gate: { kind: 'digits', least: 15, reach: 16 },
  patterns: [
    {
      regex: token(`[1-8][1-7]\\d{4}(?:1[89]|20)\\d{2}${MONTH}${DAY}\\d{3}[0-9X]`, 'i'),
      context: 'optional',
    },
    // The first generation: two digits of the year, and no check character.
    { regex: token(`[1-8][1-7]\\d{6}${MONTH}${DAY}\\d{3}`), context: 'required' },
  ],
  context: [
    'resident identity',
    'resident id',
    'chinese id',
    'id card',
    'shenfenzheng',
    'identity card',
    'id number',
  ],
  judge: (match) => (match.length === 15 ? 'shape' : judge(match)),
  examples: {
    hits: [
      '110101198507150280',
      'resident ID 110101198507150520',
      'Chinese ID: 110101198507150459',
      'resident ID 110101850715047',
    ],
    misses: [
      '110101198507150281',
      '110101198513150280',
      '1101011985071502800',
      '910101198507150280',
      '110101850715047',
      'resident ID 110101851315047',
    ],
  },
});
