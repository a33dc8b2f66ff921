import { iso7064mod10x11validate } from 'stdnum/lib/cjs/util/iso7064.js';
import validator from 'validator';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** Among its first ten digits a real number repeats one; `12345678903` and its like stand in examples. */
function judge(match: string): Verdict {
  const number = compact(match);
  if (!iso7064mod10x11validate(number)) return 'no';
  if (validator.isTaxID(number, 'de-DE')) return 'checksum';
  return new Set(number.slice(0, 10)).size === 10 ? 'sample' : 'no';
}

export const deTaxId = defineDetector({
  id: 'de_tax_id',
  version: 3,
  family: 'tax_id',
  countries: ['DE'],
  title: 'German tax identification number',
  randomMatch: 1 / 300,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [
    { regex: token('[1-9]\\d ?\\d{3} ?\\d{3} ?\\d{3}'), context: 'optional' },
    { regex: token('[1-9]\\d([/.-])\\d{3}\\1\\d{3}\\1\\d{3}'), context: 'optional' },
  ],
  context: [
    ...[
      'steuer',
      'steuer id',
      'steuerid',
      'steueridentifikationsnummer',
      'steuerliche identifikationsnummer',
    ],
    ...['identifikationsnummer', 'steuernummer', 'idnr', 'id nr', 'tin', 'tax', 'tax id', 'finanzamt'],
    ...['lohnsteuer', 'steuer idnr', 'tax identification number'],
  ],
  judge,
  examples: {
    hits: ['Steuer-ID: 86095742719', 'IdNr. 65 929 970 489', '26954371827', '12345678903'],
    misses: ['Steuer-ID: 86095742718', '06095742719', 'Steuer-ID 860957427199', '11111111111', '12345678901'],
  },
});
