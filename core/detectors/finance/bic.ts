import validator from 'validator';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

/** Ordinary words of the right length with a country code in the right position. */
const WORDS = new Set([
  ...[
    'BUSINESS',
    'CUSTOMER',
    'DATABASE',
    'DELIVERY',
    'DIVISION',
    'DOCUMENT',
    'ORIGINAL',
    'OVERSEAS',
    'PROPERTY',
  ],
  ...['REGISTER', 'REQUIRED', 'BENEFICIARY', 'DESTINATION', 'INSTITUTION', 'TRANSACTION'],
]);

export const bic = defineDetector({
  id: 'bic',
  version: 1,
  family: 'bank',
  title: 'Bank identifier code',
  gate: { kind: 'capitals', least: 6, reach: 12 },
  // Many words in capitals have this format and a country code in the right position.
  patterns: [{ regex: token('[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?'), context: 'required' }],
  context: [
    'bic',
    'swift',
    'swift code',
    'bic code',
    'bankleitzahl',
    'bic swift',
    'codigo swift',
    'kod swift',
  ],
  judge: (match) => (validator.isBIC(match) && !WORDS.has(match) ? 'shape' : 'no'),
  confidence: { context: 0.8 },
  examples: {
    hits: ['BIC: DEUTDEFF', 'SWIFT code NEDSZAJJXXX', 'BIC COBADEFFXXX'],
    misses: ['DEUTDEFF', 'BIC: CUSTOMER', 'the swiftly moving DEUTDEFF', 'BIC DEUTDEFFXX'],
  },
});
