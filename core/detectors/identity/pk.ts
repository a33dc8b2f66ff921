import { validate as validateCnic } from 'stdnum/lib/cjs/pk/cnic.js';
import { compact, token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const pkIdCard = defineDetector({
  id: 'pk_id_card',
  version: 1,
  family: 'national_id',
  countries: ['PK'],
  title: 'Pakistani identity card number (CNIC)',
  gate: { kind: 'digits', least: 13, reach: 16 },
  // Province, place, family, sex; no check digit.
  patterns: [
    { regex: token('[1-7]\\d{4}-\\d{7}-[1-9]'), context: 'optional' },
    { regex: token('[1-7]\\d{11}[1-9]'), context: 'required' },
  ],
  context: ['cnic', 'nicop', 'nadra', 'identity card', 'cnic no', 'cnic number', 'shanakhti'],
  judge: (match) => (validateCnic(compact(match)).isValid ? 'shape' : 'no'),
  confidence: { pattern: 0.5, context: 0.9 },
  examples: {
    hits: ['52596-5890921-9', 'CNIC 63273-8524542-4', 'CNIC: 6375352055424'],
    misses: ['6375352055424', '88888-88888888-0', '02596-5890921-9', 'CNIC 52596-5890921-99'],
  },
});
