import { validate as validateBsn } from 'stdnum/lib/cjs/nl/bsn.js';
import { COMMON_SHAPE, judgeBy, sumsTo } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

const sumsToBsn = sumsTo([9, 8, 7, 6, 5, 4, 3, 2, -1], 11);

export const nlBsn = defineDetector({
  id: 'nl_bsn',
  version: 2,
  family: 'national_id',
  countries: ['NL'],
  title: 'Dutch citizen service number (BSN)',
  randomMatch: 1 / 11,
  gate: { kind: 'digits', least: 8, reach: 16 },
  patterns: [
    { regex: token('\\d{9}'), context: 'optional' },
    // A leading zero may be left out.
    { regex: token('\\d{8}'), context: 'required' },
    { regex: token('\\d{4}([ .])\\d{2}\\1\\d{3}|\\d{3}([ .-])\\d{3}\\2\\d{3}'), context: 'required' },
  ],
  context: [
    ...['bsn', 'burgerservicenummer', 'burger service nummer', 'sofinummer', 'sofi nummer', 'sofi'],
    ...['citizen service number', 'bsn nummer', 'persoonsnummer'],
  ],
  judge: judgeBy(validateBsn, (number) => sumsToBsn(number.padStart(9, '0'))),
  examples: {
    hits: ['BSN 111222333', '525965890', 'burgerservicenummer: 7740.77.013', 'BSN 47192835'],
    misses: ['BSN 111222334', 'BSN 000000000', 'BSN 5259658900', '774 077 013', '47192835', 'BSN 47192836'],
  },
});

export const nlDocument = defineDetector({
  id: 'nl_document',
  version: 2,
  family: 'national_id',
  countries: ['NL'],
  title: 'Dutch passport or identity card number',
  gate: { kind: 'digits', least: 1, reach: 16 },
  // Two letters, six letters or digits, a digit; never the letter O.
  patterns: [{ regex: token('[A-NP-Z]{2}[A-NP-Z0-9]{6}\\d', 'i'), context: 'required' }],
  context: [
    ...['paspoort', 'paspoortnummer', 'identiteitskaart', 'documentnummer', 'id kaart', 'reisdocument'],
    ...['dutch passport', 'passport number', 'passport no'],
  ],
  judge: (match) => (/\d[A-Z]{0,6}\d/i.test(match) ? 'shape' : 'no'),
  confidence: COMMON_SHAPE,
  examples: {
    hits: [
      'paspoort NXK42RB67',
      'Paspoortnummer: SPECI2014',
      'identiteitskaart ZX1234567',
      'paspoort nxk42rb67',
    ],
    misses: ['NXK42RB67', 'paspoort NXO42RB67', 'paspoort ABCDEFGH1', 'paspoort NXK42RB678'],
  },
});
