import { validate as validateTin } from 'stdnum/lib/cjs/at/tin.js';
import { validate as validateVnr } from 'stdnum/lib/cjs/at/vnr.js';
import { DAY, MONTH } from '../checks/date-part.ts';
import { judgeBy, judgeSoftlyBy, sumsTo } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const atSocialSecurity = defineDetector({
  id: 'at_social_security',
  version: 2,
  family: 'national_id',
  countries: ['AT'],
  title: 'Austrian social insurance number',
  randomMatch: 1 / 350,
  gate: { kind: 'digits', least: 10, reach: 16 },
  patterns: [{ regex: token(`[1-9]\\d{3}[ /-]?${DAY}${MONTH}\\d{2}`), context: 'optional' }],
  context: [
    ...[
      'svnr',
      'sv nr',
      'sv nummer',
      'sozialversicherungsnummer',
      'sozialversicherung',
      'versicherungsnummer',
    ],
    ...['e card', 'ecard', 'ogk', 'gebietskrankenkasse', 'svnummer', 'social security', 'vsnr'],
  ],
  judge: judgeBy(validateVnr, sumsTo([3, 7, 9, -1, 5, 8, 4, 2, 1, 6], 11)),
  examples: {
    hits: ['SVNR 1077 010180', 'Sozialversicherungsnummer: 7435150579', '5086010180'],
    misses: ['SVNR 1078 010180', 'SVNR 0698150579', 'SVNR 1077 320180', 'SVNR 1077 0101801'],
  },
});

export const atTaxNumber = defineDetector({
  id: 'at_tax_number',
  version: 2,
  family: 'tax_id',
  countries: ['AT'],
  title: 'Austrian tax number (Abgabenkontonummer)',
  randomMatch: 1 / 25,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [
    { regex: token('\\d{2}-\\d{3}/\\d{4}'), context: 'optional' },
    { regex: token('\\d{2} ?\\d{3}[/ ]?\\d{4}'), context: 'required' },
  ],
  context: [
    ...[
      'steuernummer',
      'abgabenkontonummer',
      'st nr',
      'steuer nr',
      'finanzamt',
      'finanzonline',
      'tax number',
    ],
    ...['abgabenkonto', 'stnr', 'tax id'],
  ],
  judge: judgeSoftlyBy(validateTin),
  confidence: { pattern: 0.2, context: 0.6 },
  examples: {
    hits: ['Steuernummer 97-565/3239', '93-173/6581', 'Abgabenkontonummer: 69 364/0104'],
    misses: ['975653239', 'Steuernummer 97-565/32390', 'Steuernummer 197-565/3239', '97-5653239'],
  },
});
