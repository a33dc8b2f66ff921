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
