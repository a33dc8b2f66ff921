import { weigh } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** The districts in order. A letter counts as its index plus ten. */
const DISTRICTS = 'ABCDEFGHJKLMNPQRSTUVXYWZIO';

/**
 * The letter counts as two digits. Weights 1, 9, 8, … 1, 1, modulo 10. The second letter in older numbers of
 * foreigners is the sex.
 */
function judge(match: string): Verdict {
  const number = compact(match);
  const placeOf = (letter: string) => DISTRICTS.indexOf(letter) + 10;
  const sex = /\d/.test(number.charAt(1)) ? number.charAt(1) : String(placeOf(number.charAt(1)) % 10);
  const digits = `${placeOf(number.charAt(0))}${sex}${number.slice(2)}`;
  return weigh(digits, [1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]) % 10 === 0 ? 'checksum' : 'no';
}

export const twNationalId = defineDetector({
  id: 'tw_national_id',
  version: 3,
  family: 'national_id',
  countries: ['TW'],
  title: 'Taiwanese national identity number',
  randomMatch: 1 / 25,
  gate: { kind: 'digits', least: 8, reach: 16 },
  // Citizens, foreigners since 2021, and foreigners before 2021.
  patterns: [
    { regex: token('[A-Z][1289]\\d{8}'), context: 'optional' },
    { regex: token('[A-Z][1289A-D]\\d{8}', 'i'), context: 'required' },
  ],
  context: [
    '身分證字號',
    '身分證',
    '身份證字號',
    'national id',
    'taiwan id',
    'taiwanese id',
    'identity card',
    'id number',
    'roc id',
  ],
  judge,
  examples: {
    hits: [
      '身分證字號：A123456789',
      'A128081077',
      'Taiwan ID A179224375',
      'national id: A191206460',
      'A804719283',
      'Taiwan ID AC04719281',
      'national id f134719283',
    ],
    misses: [
      'A128081078',
      'A328081077',
      'AA128081077',
      'A1280810770',
      'f134719283',
      'AC04719281',
      'A804719284',
    ],
  },
});
