import { isValidDateCompactYYMMDD } from 'stdnum/lib/cjs/util/isValidDate.js';
import { DAY, MONTH } from '../checks/date-part.ts';
import { isLuhn } from '../checks/luhn.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/**
 * A birth date and a Luhn check digit. The validator of the library rejects the citizenship digit 2, which refugees
 * have.
 */
function judge(match: string): Verdict {
  const number = compact(match);
  return isValidDateCompactYYMMDD(number.slice(0, 6)) && isLuhn(number) ? 'checksum' : 'no';
}

export const zaIdNumber = defineDetector({
  id: 'za_id_number',
  version: 2,
  family: 'national_id',
  countries: ['ZA'],
  title: 'South African identity number',
  randomMatch: 1 / 900,
  gate: { kind: 'digits', least: 13, reach: 16 },
  patterns: [{ regex: token(`\\d{2}${MONTH}${DAY} ?\\d{4} ?[0-2]\\d{2}`), context: 'optional' }],
  context: [
    'sa id',
    'id number',
    'identity number',
    'rsa id',
    'south african id',
    'id no',
    'permanent resident',
  ],
  judge,
  examples: {
    hits: ['ID number 8001015009087', '8507150721088', 'SA ID: 850715 3662 081', 'ID number 9912316789285'],
    misses: ['ID number 8001015009086', '9913326789285', 'SA ID 80010150090870', 'SA ID 80010150090'],
  },
});
