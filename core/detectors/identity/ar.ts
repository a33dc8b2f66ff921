import { validate as validateCuit } from 'stdnum/lib/cjs/ar/cuit.js';
import { judgeBy, sumsTo } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const arCuit = defineDetector({
  id: 'ar_cuit',
  version: 2,
  family: 'tax_id',
  countries: ['AR'],
  title: 'Argentinian taxpayer number (CUIT, CUIL)',
  randomMatch: 1 / 100,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [{ regex: token('(?:2[0347]|3[034]|5[015])([ -]?)\\d{8}\\1\\d'), context: 'optional' }],
  context: ['cuit', 'cuil', 'clave unica', 'afip', 'arca', 'contribuyente', 'identificacion tributaria'],
  judge: judgeBy(validateCuit, sumsTo([5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11, [0, 10])),
  examples: {
    hits: ['CUIT 20-52454286-3', '20226585851', 'CUIL: 20 84378812 3'],
    misses: ['CUIT 20-52454286-4', 'CUIT 21-52454286-3', 'CUIT 20-52454286-33', 'CUIT 20-52454286 3'],
  },
});
