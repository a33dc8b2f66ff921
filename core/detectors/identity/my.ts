import { validate as validateNric } from 'stdnum/lib/cjs/my/nric.js';
import { DAY, MONTH } from '../checks/date-part.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const myIdCard = defineDetector({
  id: 'my_id_card',
  version: 1,
  family: 'national_id',
  countries: ['MY'],
  title: 'Malaysian identity card number (MyKad)',
  gate: { kind: 'digits', least: 12, reach: 16 },
  // Birth date, place of birth, number; no check digit.
  patterns: [
    { regex: token(`\\d{2}${MONTH}${DAY}-\\d{2}-\\d{4}`), context: 'optional' },
    { regex: token(`\\d{2}${MONTH}${DAY}\\d{6}`), context: 'required' },
  ],
  context: [
    'mykad',
    'nric',
    'ic no',
    'ic number',
    'kad pengenalan',
    'no kad pengenalan',
    'malaysian id',
    'mykid',
  ],
  judge: (match) => (validateNric(compact(match)).isValid ? 'shape' : 'no'),
  confidence: { pattern: 0.5, context: 0.9 },
  examples: {
    hits: ['850715-14-5259', 'MyKad 850715-14-6589', 'No. Kad Pengenalan: 850715140921'],
    misses: ['850715145259', '851315-14-5259', 'MyKad 850715-14-52590', 'MyKad 850715-00-5259'],
  },
});
