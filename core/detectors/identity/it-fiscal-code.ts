import validator from 'validator';
import { compact, token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

/** Digits that are replaced by letters when two people would share a code. */
const DIGIT = '[0-9LMNPQRSTUV]';

export const itFiscalCode = defineDetector({
  id: 'it_fiscal_code',
  version: 2,
  family: 'tax_id',
  countries: ['IT'],
  title: 'Italian fiscal code',
  randomMatch: 1 / 410,
  gate: { kind: 'digits', least: 1, reach: 20 },
  patterns: [
    {
      regex: token(`[A-Z]{3} ?[A-Z]{3} ?${DIGIT}{2}[A-EHLMPRST]${DIGIT}{2} ?[A-Z]${DIGIT}{3} ?[A-Z]`, 'i'),
      context: 'optional',
    },
  ],
  context: [
    'codice fiscale',
    'cod fiscale',
    'cod fisc',
    'cf',
    'c f',
    'fiscale',
    'fiscal code',
    'tessera sanitaria',
  ],
  judge: (match) => (validator.isTaxID(compact(match), 'it-IT') ? 'checksum' : 'no'),
  examples: {
    hits: ['codice fiscale RSSMRA85T10A562S', 'rssmra85t10a562s', 'BNC LCU 70B18 F205 K'],
    misses: ['RSSMRA85T10A562T', 'XRSSMRA85T10A562S', 'RSSMRA85G10A562S'],
  },
});
