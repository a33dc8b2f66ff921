import { validate as validateNip } from 'stdnum/lib/cjs/pl/nip.js';
import { validate as validatePesel } from 'stdnum/lib/cjs/pl/pesel.js';
import { validate as validateRegon } from 'stdnum/lib/cjs/pl/regon.js';
import { DAY } from '../checks/date-part.ts';
import { judgeBy, sumsTo } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

export const plPesel = defineDetector({
  id: 'pl_pesel',
  version: 3,
  family: 'national_id',
  countries: ['PL'],
  title: 'Polish identity number (PESEL)',
  randomMatch: 1 / 120,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [{ regex: token(`\\d{2}(?:[02468][1-9]|[13579][0-2])${DAY}\\d{5}`), context: 'optional' }],
  context: ['pesel', 'nr pesel', 'numer pesel', 'ewidencyjny', 'identity', 'dowod osobisty', 'obywatel'],
  judge: judgeBy(validatePesel, sumsTo([1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1], 10)),
  examples: {
    hits: ['PESEL 44051401359', '02070803628', 'Nr PESEL: 92032100157', '02270800010'],
    misses: ['PESEL 44051401358', '144051401359', '44991401359', '44051401359.5'],
  },
});

export const plNip = defineDetector({
  id: 'pl_nip',
  version: 2,
  family: 'tax_id',
  countries: ['PL'],
  title: 'Polish tax number (NIP)',
  randomMatch: 1 / 11,
  gate: { kind: 'digits', least: 10, reach: 16 },
  patterns: [
    {
      regex: token('\\d{3}-\\d{3}-\\d{2}-\\d{2}|\\d{3}-\\d{2}-\\d{2}-\\d{3}|[1-9]\\d{9}'),
      context: 'optional',
    },
    { regex: token('\\d{3} \\d{3} \\d{2} \\d{2}|\\d{3} \\d{2} \\d{2} \\d{3}'), context: 'required' },
  ],
  context: [
    'nip',
    'numer nip',
    'nr nip',
    'identyfikacji podatkowej',
    'podatnik',
    'podatkowy',
    'faktura',
    'tax id',
  ],
  judge: judgeBy(validateNip, sumsTo([6, 5, 7, 2, 3, 4, 5, 6, 7, -1], 11)),
  examples: {
    hits: ['NIP 778-887-03-16', '6411606865', 'Numer NIP: 312 795 67 28'],
    misses: ['NIP 778-887-03-17', '778 887 03 16', 'NIP 77888703160', 'NIP 778-88-703-16'],
  },
});

export const plRegon = defineDetector({
  id: 'pl_regon',
  version: 2,
  family: 'tax_id',
  countries: ['PL'],
  title: 'Polish business register number (REGON)',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [{ regex: token('\\d{9}(?:\\d{5})?'), context: 'optional' }],
  context: ['regon', 'nr regon', 'numer regon', 'gus', 'rejestr gospodarki'],
  judge: judgeBy(validateRegon, sumsTo([8, 9, 2, 3, 4, 5, 6, 7, -1], 11, [0, 10])),
  examples: {
    hits: ['REGON 060908804', '285402536', 'Nr REGON: 12345678512347'],
    misses: ['REGON 060908805', 'REGON 000000000', 'REGON 0609088040', 'REGON 12345678512348'],
  },
});

/**
 * Letters count from A = 10. The first digit after the three letters is the check digit (ICAO weights, and 9 for the
 * check digit).
 */
function judgeIdCard(match: string): Verdict {
  const values = [...compact(match)].map((character) => Number.parseInt(character, 36));
  const sum = [7, 3, 1, 9, 7, 3, 1, 7, 3].reduce((total, weight, i) => total + weight * (values[i] ?? 0), 0);
  return sum % 10 === 0 ? 'checksum' : 'no';
}

export const plIdCard = defineDetector({
  id: 'pl_id_card',
  version: 2,
  family: 'national_id',
  countries: ['PL'],
  title: 'Polish identity card number',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 6, reach: 16 },
  patterns: [{ regex: token('[A-Z]{3}[ -]?\\d{6}', 'i'), context: 'required' }],
  context: [
    ...['dowod osobisty', 'dowodu osobistego', 'seria i numer', 'nr dowodu', 'numer dowodu', 'dowod'],
    ...['polish id card', 'identity card', 'id card'],
  ],
  judge: judgeIdCard,
  examples: {
    hits: [
      'dowód osobisty ABA300000',
      'seria i numer: ABS 123456',
      'Polish ID card ABA 300000',
      'dowód aba300000',
    ],
    misses: ['ABA300000', 'dowód osobisty ABA300001', 'dowód ABA3000000', 'dowód ZABA300000'],
  },
});
