import validator from 'validator';
import { defineDetector, type Verdict } from './detector.ts';
import { compact, token } from './token.ts';

const judge = (match: string): Verdict =>
  validator.isIdentityCard(compact(match), 'ES') ? 'checksum' : 'no';

export const esDni = defineDetector({
  id: 'es_dni',
  version: 1,
  family: 'national_id',
  title: 'Spanish identity number (DNI)',
  gate: { kind: 'digits', least: 8, reach: 14 },
  patterns: [
    { regex: token('\\d{8}[ -]?[A-HJ-NP-TV-Z]', 'i'), context: 'optional' },
    { regex: token('\\d{1,2}\\.\\d{3}\\.\\d{3}[ -]?[A-HJ-NP-TV-Z]'), context: 'required' },
  ],
  context: [
    'dni',
    'nif',
    'd n i',
    'documento nacional',
    'documento nacional de identidad',
    'identidad',
    'cedula',
  ],
  judge: (match) => judge(compact(match).padStart(9, '0')),
  confidence: { checksum: 0.7 },
  examples: {
    hits: ['DNI 12345678Z', '55555555-K', 'NIF: 12.345.678-Z'],
    misses: ['DNI 12345678A', 'X12345678Z', '112345678Z', '12345678'],
  },
});

export const esNie = defineDetector({
  id: 'es_nie',
  version: 1,
  family: 'national_id',
  title: 'Spanish foreigner identity number (NIE)',
  gate: { kind: 'digits', least: 7, reach: 14 },
  patterns: [{ regex: token('[XYZ][ -]?\\d{7}[ -]?[A-HJ-NP-TV-Z]', 'i'), context: 'optional' }],
  context: ['nie', 'extranjero', 'extranjeros', 'numero de identidad de extranjero', 'residencia', 'tie'],
  judge,
  examples: {
    hits: ['NIE X1234567L', 'Z-8078221-M'],
    misses: ['NIE X1234567A', 'AX1234567L', 'X12345678L'],
  },
});
