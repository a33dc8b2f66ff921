import validator from 'validator';
import { defineDetector } from './detector.ts';
import { compact, token } from './token.ts';

export const deTaxId = defineDetector({
  id: 'de_tax_id',
  version: 1,
  family: 'tax_id',
  title: 'German tax identification number',
  gate: { kind: 'digits', least: 11, reach: 18 },
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
  judge: (match) => (validator.isTaxID(compact(match), 'de-DE') ? 'checksum' : 'no'),
  // One in ten numbers passes the check digit; the rule on repeated digits helps, context more.
  confidence: { checksum: 0.5, checksum_and_context: 0.95 },
  examples: {
    hits: ['Steuer-ID: 86095742719', 'IdNr. 65 929 970 489', '26954371827'],
    misses: ['Steuer-ID: 86095742718', '06095742719', 'Steuer-ID 860957427199', '11111111111'],
  },
});
