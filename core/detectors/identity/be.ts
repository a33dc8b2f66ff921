import { validate as validateInsz } from 'stdnum/lib/cjs/be/insz.js';
import { judgeBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

/** The check digits are 97 minus the remainder of the other digits. For births since 2000, a 2 is put before them. */
function mayBeInsz(number: string): boolean {
  const rest = Number(number.slice(0, 9));
  const check = Number(number.slice(9));
  return check === 97 - (rest % 97) || check === 97 - ((2_000_000_000 + rest) % 97);
}

export const beNationalNumber = defineDetector({
  id: 'be_national_number',
  version: 2,
  family: 'national_id',
  countries: ['BE'],
  title: 'Belgian national register number',
  randomMatch: 1 / 630,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [
    {
      regex: token('\\d{2}\\.?(?:[024]\\d|[135][0-2])\\.?(?:[0-2]\\d|3[01])[ -]?\\d{3}[. -]?\\d{2}'),
      context: 'optional',
    },
    { regex: token('\\d{2}/[0-5]\\d/[0-3]\\d[ -]?\\d{3}[. -]?\\d{2}'), context: 'required' },
  ],
  context: [
    ...[
      'rijksregisternummer',
      'rijksregister',
      'rrn',
      'insz',
      'niss',
      'numero national',
      'registre national',
    ],
    ...['numero de registre national', 'nationaal nummer', 'nationalregisternummer', 'national number'],
    ...['national register', 'identificatienummer'],
  ],
  judge: judgeBy(validateInsz, mayBeInsz),
  examples: {
    hits: ['rijksregisternummer 85.07.30-446.03', '85073115471', 'NISS 85073049353'],
    misses: ['NISS 85073044604', 'NISS 85.13.30-446.03', 'NISS 850730446030', 'NISS 8507304460'],
  },
});
