import { validate as validateNatid } from 'stdnum/lib/cjs/tw/natid.js';
import { defineDetector } from './detector.ts';
import { judgeBy } from './judge-by.ts';
import { token } from './token.ts';

export const twNationalId = defineDetector({
  id: 'tw_national_id',
  version: 2,
  family: 'national_id',
  countries: ['TW'],
  title: 'Taiwanese national identity number',
  randomMatch: 1 / 50,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [{ regex: token('[A-Z][12]\\d{8}'), context: 'optional' }],
  context: ['national id', 'taiwan id', 'taiwanese id', 'identity card', 'id number', 'roc id'],
  judge: judgeBy(validateNatid),
  examples: {
    hits: ['A128081077', 'Taiwan ID A179224375', 'national id: A191206460'],
    misses: ['A128081078', 'A328081077', 'AA128081077', 'A1280810770'],
  },
});
