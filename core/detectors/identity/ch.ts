import { validate as validateSsn } from 'stdnum/lib/cjs/ch/ssn.js';
import { validate as validateUid } from 'stdnum/lib/cjs/ch/uid.js';
import { judgeBy } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

const judgeAhv = judgeBy(validateSsn);

export const chSocialSecurity = defineDetector({
  id: 'ch_social_security',
  version: 2,
  family: 'national_id',
  countries: ['CH'],
  title: 'Swiss social security number (AHV, AVS)',
  randomMatch: 1 / 10_000,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [
    { regex: token('756([. ]?)\\d{4}\\1\\d{4}\\1\\d{2}'), context: 'optional' },
    // Before 2008: name, year, quarter and day, place and check digit.
    { regex: token('[1-9]\\d{2}\\.\\d{2}\\.[1-8]\\d{2}\\.\\d{3}'), context: 'required' },
  ],
  context: [
    ...['ahv', 'ahv nummer', 'ahv nr', 'ahvn13', 'avs', 'numero avs', 'n avs', 'sozialversicherungsnummer'],
    ...['numero ahv', 'navs', 'navs13', 'social security', 'versichertennummer', 'numero d assure'],
  ],
  judge: (match) => (compact(match).length === 11 ? 'shape' : judgeAhv(match)),
  examples: {
    hits: ['AHV-Nr. 756.5879.2243.75', '7565084487183', 'numéro AVS 756 1409 3123 45', 'AHV 471.85.234.119'],
    misses: [
      '756.5879.2243.76',
      '755.5879.2243.75',
      '75658792243755',
      '756.5879 2243.75',
      '471.85.234.119',
      'AHV 471.85.934.119',
    ],
  },
});

const judgeUid = judgeBy(validateUid);

export const chCompanyNumber = defineDetector({
  id: 'ch_company_number',
  version: 2,
  family: 'tax_id',
  countries: ['CH'],
  title: 'Swiss company and VAT number (UID)',
  randomMatch: 1 / 100_000,
  gate: { kind: 'literals', literals: ['CHE', 'che'], reach: 24 },
  patterns: [
    {
      regex: token('CHE[ -]?\\d{3}[. ]?\\d{3}[. ]?\\d{3}(?: ?(?:MWST|TVA|IVA|TPV))?', 'i'),
      context: 'optional',
    },
  ],
  context: [
    'uid',
    'mwst',
    'mwst nr',
    'tva',
    'iva',
    'numero ide',
    'ide',
    'vat',
    'handelsregister',
    'unternehmen',
  ],
  judge: (match) => judgeUid(match.replace(/ ?(?:MWST|TVA|IVA|TPV)$/i, '')),
  examples: {
    hits: ['CHE-116.281.710 MWST', 'UID CHE-825.086.418', 'CHE896162961'],
    misses: ['CHE-123.456.789 MWST', 'CHE-116.281.711', 'XCHE-116.281.710', 'CHE-116.281.7101'],
  },
});
