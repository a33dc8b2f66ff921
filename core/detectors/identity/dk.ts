import { validate as validateCpr } from 'stdnum/lib/cjs/dk/cpr.js';
import { validate as validateCvr } from 'stdnum/lib/cjs/dk/cvr.js';
import { DAY, MONTH } from '../checks/date-part.ts';
import { judgeBy } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const dkCpr = defineDetector({
  id: 'dk_cpr',
  version: 1,
  family: 'national_id',
  countries: ['DK'],
  title: 'Danish civil registration number (CPR)',
  gate: { kind: 'digits', least: 10, reach: 16 },
  patterns: [
    { regex: token(`${DAY}${MONTH}\\d{2}-?\\d{4}`), context: 'optional' },
    { regex: token(`${DAY}${MONTH}\\d{2} \\d{4}`), context: 'required' },
  ],
  context: [
    'cpr',
    'cpr nr',
    'cpr nummer',
    'cprnr',
    'personnummer',
    'civil registration',
    'folkeregister',
    'danish id',
  ],
  // Since 2007 numbers are issued without a valid check digit, so only the date can be checked.
  judge: (match) => (validateCpr(compact(match)).isValid ? 'shape' : 'no'),
  confidence: { pattern: 0.2, context: 0.85 },
  examples: {
    hits: ['CPR-nr. 150785-5259', '150785-6589', 'personnummer: 1507850921'],
    misses: ['150785 5259', '320785-5259', 'CPR 151385-5259', 'CPR 150785-52590', 'CPR 150785-525'],
  },
});

export const dkCompanyNumber = defineDetector({
  id: 'dk_company_number',
  version: 2,
  family: 'tax_id',
  countries: ['DK'],
  title: 'Danish company number (CVR)',
  randomMatch: 1 / 12,
  gate: { kind: 'digits', least: 8, reach: 16 },
  patterns: [{ regex: token('[1-9]\\d(?: ?\\d{2}){3}'), context: 'required' }],
  context: ['cvr', 'cvr nr', 'cvr nummer', 'se nr', 'virksomhed', 'moms', 'company number'],
  judge: judgeBy(validateCvr),
  examples: {
    hits: ['CVR 32738524', 'CVR-nr.: 60 27 74 35', 'cvr nummer 41822473'],
    misses: ['32738524', 'CVR 32738525', 'CVR 327385240', 'CVR 02738524'],
  },
});
