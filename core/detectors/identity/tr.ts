import { validate as validateTckn } from 'stdnum/lib/cjs/tr/tckimlik.js';
import { validate as validateVkn } from 'stdnum/lib/cjs/tr/vkn.js';
import { judgeBy, sumsTo } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const trNationalId = defineDetector({
  id: 'tr_national_id',
  version: 2,
  family: 'national_id',
  countries: ['TR'],
  title: 'Turkish identity number',
  randomMatch: 1 / 108,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [{ regex: token('[1-9]\\d{9}[02468]'), context: 'optional' }],
  context: [
    'tc kimlik',
    'tckn',
    'tc no',
    'kimlik no',
    'kimlik',
    't c kimlik no',
    'kimlik numarasi',
    'turkish id',
  ],
  judge: judgeBy(validateTckn, sumsTo([3, 1, 3, 1, 3, 1, 3, 1, 3, 1], 10)),
  examples: {
    hits: ['TC Kimlik No: 10000000146', '43105875722', 'TCKN 84897660660'],
    misses: ['TCKN 10000000145', 'TCKN 12345678900', 'TCKN 01000000146', 'TCKN 100000001460'],
  },
});

export const trTaxNumber = defineDetector({
  id: 'tr_tax_number',
  version: 1,
  family: 'tax_id',
  countries: ['TR'],
  title: 'Turkish tax number (VKN)',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 10, reach: 16 },
  patterns: [
    { regex: token('\\d{10}'), context: 'optional' },
    { regex: token('\\d{3} \\d{3} \\d{4}'), context: 'required' },
  ],
  context: [
    ...['vergi kimlik', 'vergi kimlik no', 'vergi kimlik numarasi', 'vergi no', 'vergi numarasi', 'vkn'],
    ...['vergi dairesi', 'vergi', 'turkish tax'],
  ],
  judge: (match) => (validateVkn(match.replaceAll(' ', '')).isValid ? 'checksum' : 'no'),
  examples: {
    hits: ['Vergi Kimlik No: 2319487574', 'VKN 4540536920', 'vergi no: 454 053 6920'],
    misses: ['VKN 4540536921', 'VKN 45405369', 'VKN 45405369201'],
  },
});
