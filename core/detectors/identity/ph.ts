import { COMMON_SHAPE } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const phTin = defineDetector({
  id: 'ph_tin',
  version: 1,
  family: 'tax_id',
  countries: ['PH'],
  title: 'Philippine taxpayer identification number',
  gate: { kind: 'digits', least: 9, reach: 16 },
  // Nine digits and a branch code of three to five digits. The first digit is the kind of taxpayer. No check digit is
  // public.
  patterns: [
    { regex: token('[0-59]\\d{2}(-?)\\d{3}\\1\\d{3}(?:\\1(?:\\d{5}|\\d{3}))?'), context: 'required' },
  ],
  context: ['tin', 'bir', 'bir tin', 'taxpayer identification number', 'tax id', 'tax identification number'],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['TIN: 000123456', 'BIR TIN: 000-123-456-001', 'tax id 219-404-118-00000'],
    misses: ['000-123-456', 'TIN 600-000-000', 'TIN 000-123-4567', 'tint 000-123-456'],
  },
});

/** The numbers of the agencies have fixed groups and no public check digit. */
export const phSocialSecurity = defineDetector({
  id: 'ph_sss',
  version: 1,
  family: 'national_id',
  countries: ['PH'],
  title: 'Philippine social security number (SSS, GSIS)',
  gate: { kind: 'digits', least: 10, reach: 16 },
  patterns: [{ regex: token('\\d{2}(-?)\\d{7}\\1\\d|\\d{11}'), context: 'required' }],
  context: ['sss', 'sss number', 'sss no', 'social security system', 'gsis', 'gsis number', 'gsis bp'],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['SSS: 34-1234567-8', 'SSS number 3412345678', 'GSIS BP 20041234567'],
    misses: ['34-1234567-8', 'SSS 34-123456-8', 'SSS 34-12345678'],
  },
});

export const phHealth = defineDetector({
  id: 'ph_philhealth',
  version: 1,
  family: 'health',
  countries: ['PH'],
  title: 'Philippine health insurance number (PhilHealth)',
  gate: { kind: 'digits', least: 12, reach: 16 },
  patterns: [{ regex: token('\\d{2}(-?)\\d{9}\\1\\d'), context: 'required' }],
  context: ['phil health', 'philhealth', 'philhealth number', 'philhealth no', 'phic', 'philhealth pin'],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['PhilHealth: 12-345678901-2', 'philhealth no. 123456789012', 'PHIC 19-200123456-7'],
    misses: ['12-345678901-2', 'PhilHealth 12-34567890-2', 'PhilHealth 12-345678901-23'],
  },
});

export const phNationalId = defineDetector({
  id: 'ph_national_id',
  version: 1,
  family: 'national_id',
  countries: ['PH'],
  title: 'Philippine identity number (UMID, PhilSys, Pag-IBIG)',
  gate: { kind: 'digits', least: 12, reach: 20 },
  // Common reference number of UMID, member id of Pag-IBIG, card number of PhilSys.
  patterns: [
    {
      regex: token('\\d{4}(-?)\\d{7}\\1\\d|\\d{4}([ -]?)\\d{4}\\2\\d{4}(?:\\2\\d{4})?'),
      context: 'required',
    },
  ],
  context: [
    ...[
      'umid',
      'crn',
      'common reference number',
      'pag ibig',
      'pagibig',
      'hdmf',
      'phil sys',
      'philsys',
      'psn',
      'pcn',
      'philid',
    ],
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['UMID CRN 0111-1234567-8', 'Pag-IBIG MID 1211-2345-6789', 'PhilSys PCN 1234-5678-9012-3456'],
    misses: ['0111-1234567-8', 'UMID 0111-123456-8', 'PhilSys 1234-5678-9012-345'],
  },
});
