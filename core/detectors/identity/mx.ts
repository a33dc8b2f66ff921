import { validate as validateCurp } from 'stdnum/lib/cjs/mx/curp.js';
import { validate as validateRfc } from 'stdnum/lib/cjs/mx/rfc.js';
import { DAY, MONTH } from '../checks/date-part.ts';
import { judgeBy, judgeSoftlyBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

const DATE = `\\d{2}${MONTH}${DAY}`;

export const mxCurp = defineDetector({
  id: 'mx_curp',
  version: 2,
  family: 'national_id',
  countries: ['MX'],
  title: 'Mexican population registry code (CURP)',
  randomMatch: 1 / 50_000,
  gate: { kind: 'digits', least: 6, reach: 20 },
  patterns: [{ regex: token(`[A-Z]{4}${DATE}[HMX][A-Z]{5}[0-9A-Z]\\d`, 'i'), context: 'optional' }],
  context: ['curp', 'clave unica', 'registro de poblacion', 'registro nacional de poblacion'],
  judge: judgeBy(validateCurp),
  examples: {
    hits: ['CURP GOMC850715HDFRRL04', 'PELM900101MJCRRR05', 'clave única: gomc850715hdfrrl04'],
    misses: ['GOMC850715HDFRRL05', 'GOMC851315HDFRRL04', 'XGOMC850715HDFRRL04', 'GOMC850715HXXRRL04'],
  },
});

export const mxRfc = defineDetector({
  id: 'mx_rfc',
  version: 2,
  family: 'tax_id',
  countries: ['MX'],
  title: 'Mexican taxpayer code (RFC)',
  randomMatch: 1 / 207,
  gate: { kind: 'digits', least: 6, reach: 16 },
  patterns: [
    { regex: token(`[A-ZÑ&]{3,4}${DATE}[0-9A-V][0-9A-Z][0-9A]`), context: 'unless_checksum' },
    { regex: token(`[A-ZÑ&]{3,4}([ -]?)${DATE}\\1[0-9A-V][0-9A-Z][0-9A]`, 'i'), context: 'required' },
  ],
  context: [
    'rfc',
    'registro federal',
    'registro federal de contribuyentes',
    'contribuyente',
    'sat',
    'factura',
  ],
  judge: judgeSoftlyBy(validateRfc),
  examples: {
    hits: [
      'RFC GOMC850715520',
      'GOMC850715554',
      'RFC: GOMC850715AB1',
      'rfc gomc850715520',
      'RFC GOMC-850715-520',
    ],
    misses: ['GOMC850715AB1', 'RFC GOMC851315520', 'RFC GOMC8507155200', 'RFC GO850715520', 'gomc850715520'],
  },
});
