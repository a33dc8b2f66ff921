import { validate as validateAbn } from 'stdnum/lib/cjs/au/abn.js';
import { validate as validateAcn } from 'stdnum/lib/cjs/au/acn.js';
import { validate as validateTfn } from 'stdnum/lib/cjs/au/tfn.js';
import { judgeBy, sumsTo, weigh } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

const judgeAbn = judgeBy(validateAbn, sumsTo([10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19], 89, [10]));

export const auAbn = defineDetector({
  id: 'au_abn',
  version: 2,
  family: 'tax_id',
  countries: ['AU'],
  title: 'Australian business number',
  randomMatch: 1 / 100,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [{ regex: token('(?:AU ?)?[1-9]\\d([ -]?)\\d{3}\\1\\d{3}\\1\\d{3}', 'i'), context: 'optional' }],
  context: ['abn', 'australian business number', 'business number', 'gst', 'tax invoice'],
  judge: (match) => judgeAbn(match.replace(/^AU/i, '')),
  examples: {
    hits: [
      'ABN 51 824 753 556',
      '88294863575',
      'AU53004085616',
      'Australian business number: 99-024-626-613',
    ],
    misses: ['52 824 753 556', 'ABN 51 824 753-556', 'ABN 151 824 753 556', 'ABN 51 824 753 55'],
  },
});

export const auAcn = defineDetector({
  id: 'au_acn',
  version: 2,
  family: 'tax_id',
  countries: ['AU'],
  title: 'Australian company number',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [{ regex: token('\\d{3}([ -]?)\\d{3}\\1\\d{3}'), context: 'optional' }],
  context: ['acn', 'australian company number', 'company number', 'asic', 'pty ltd', 'pty'],
  judge: judgeBy(validateAcn, sumsTo([8, 7, 6, 5, 4, 3, 2, 1, 1], 10)),
  examples: {
    hits: ['ACN 004 085 616', '000000180', 'Pty Ltd, 005-749-986'],
    misses: ['ACN 004 085 617', 'ACN 004 085-616', 'ACN 0040856160', 'ACN 000 000 000'],
  },
});

const sumsToTfn = sumsTo([1, 4, 3, 7, 5, 8, 6, 9, 10], 11);
/** A few old numbers have eight digits. */
const mayBeTfn = (number: string) => number.length === 8 || sumsToTfn(number);

export const auTfn = defineDetector({
  id: 'au_tfn',
  version: 2,
  family: 'tax_id',
  countries: ['AU'],
  title: 'Australian tax file number',
  randomMatch: 1 / 11,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [
    { regex: token('\\d{3}([ -]?)\\d{3}\\1\\d{3}'), context: 'optional' },
    { regex: token('\\d{2}([ -]?)\\d{3}\\1\\d{3}'), context: 'required' },
  ],
  context: ['tfn', 'tax file number', 'tax file', 'ato', 'australian taxation office', 'tax file no'],
  judge: judgeBy(validateTfn, mayBeTfn),
  examples: {
    hits: ['TFN 876 543 210', '924366216', 'tax file number: 224-730-419'],
    misses: ['TFN 876 543 211', 'TFN 8765432100', 'TFN 876 543-210', 'TFN 000000000'],
  },
});

/** Weights 1, 3, 7, 9 twice over eight digits, modulo 10 (Services Australia, Medicare card number). */
function judgeMedicare(match: string): Verdict {
  const number = compact(match);
  return weigh(number, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === Number(number[8]) ? 'checksum' : 'no';
}

export const auMedicare = defineDetector({
  id: 'au_medicare',
  version: 2,
  family: 'health',
  countries: ['AU'],
  title: 'Australian Medicare number',
  randomMatch: 1 / 22,
  gate: { kind: 'digits', least: 10, reach: 16 },
  // Ten digits. On a card for several people, the number of the person on the card may follow.
  patterns: [{ regex: token('[2-6]\\d{3}([ -]?)\\d{5}\\1[1-9](?:[ /-]?[1-9])?'), context: 'optional' }],
  context: [
    'medicare',
    'medicare number',
    'medicare no',
    'medicare card',
    'irn',
    'bulk bill',
    'services australia',
  ],
  judge: judgeMedicare,
  examples: {
    hits: ['Medicare 2123 45670 1', '2123456701', 'Medicare card: 2123-45670-1/2'],
    misses: [
      'Medicare 2123 25870 1',
      'Medicare 1123 45670 1',
      'Medicare 2123 45670-1',
      'Medicare 2123 456701 11',
    ],
  },
});
