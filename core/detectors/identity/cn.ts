import { validate as validateRic } from 'stdnum/lib/cjs/cn/ric.js';
import { DAY, MONTH } from '../checks/date-part.ts';
import { judgeBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

const judge = judgeBy(validateRic);

export const cnResidentId = defineDetector({
  id: 'cn_resident_id',
  version: 3,
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
    // The first generation has a year of two digits and no check character.
    { regex: token(`[1-8][1-7]\\d{6}${MONTH}${DAY}\\d{3}`), context: 'required' },
  ],
  context: [
    '身份证',
    '身份证号',
    '身份证号码',
    '公民身份号码',
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
      '身份证号码：11010519491231002X',
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
