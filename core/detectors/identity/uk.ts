import { validate as validateUtr } from 'stdnum/lib/cjs/gb/utr.js';
import { COMMON_SHAPE, judgeBy, weigh } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** Without letters and pairs that are never issued (HMRC, NIM39110). */
const NINO_PREFIX = '(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]';

export const ukNino = defineDetector({
  id: 'uk_nino',
  version: 2,
  family: 'national_id',
  countries: ['GB'],
  title: 'UK national insurance number',
  gate: { kind: 'digits', least: 6, reach: 16 },
  patterns: [
    { regex: token(`${NINO_PREFIX}[ -]?\\d{2}[ -]?\\d{2}[ -]?\\d{2}[ -]?[A-D]`, 'i'), context: 'optional' },
    // Forms often leave out the last letter.
    { regex: token(`${NINO_PREFIX}\\d{6}`, 'i'), context: 'required' },
  ],
  context: ['national insurance', 'ni number', 'ni no', 'nino', 'insurance number', 'hmrc', 'paye', 'ni'],
  confidence: { pattern: 0.65, context: 0.9 },
  examples: {
    hits: ['National Insurance number AB 12 34 56 C', 'AA123456B', 'ni no: hh 01 02 03 d', 'NI no AA123456'],
    misses: ['GB123456A', 'AA123456', 'AA123456E', 'DA123456A', 'AAA123456B', 'AA1234567B'],
  },
});

/** Weights 10 to 2, modulo 11 (NHS Data Dictionary, NHS NUMBER). */
function judgeNhs(match: string): Verdict {
  const number = compact(match);
  const expected = (11 - (weigh(number, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
  return expected === Number(number[9]) && !/^(\d)\1{9}$/.test(number) ? 'checksum' : 'no';
}

export const ukNhs = defineDetector({
  id: 'uk_nhs',
  version: 3,
  family: 'health',
  countries: ['GB'],
  title: 'UK NHS number',
  randomMatch: 1 / 11,
  gate: { kind: 'digits', least: 10, reach: 16 },
  patterns: [{ regex: token('\\d{3}([ -]?)\\d{3}\\1\\d{4}'), context: 'optional' }],
  context: ['nhs', 'nhs number', 'nhs no', 'national health service', 'health service', 'chi number'],
  judge: judgeNhs,
  examples: {
    hits: ['NHS number 943 476 5919', 'nhs no 9434765919', 'NHS: 401-023-2137', '943 476 5919'],
    misses: ['943 476 5918', 'NHS number 943 476-5919', 'NHS number 000 000 0000', 'NHS 19434765919'],
  },
});

export const ukDrivingLicence = defineDetector({
  id: 'uk_driving_licence',
  version: 1,
  family: 'national_id',
  countries: ['GB'],
  title: 'UK driving licence number',
  gate: { kind: 'digits', least: 6, reach: 20 },
  // Five letters of the surname, padded with nines, then decade, month (plus 50 for women), day, year, initials and
  // check digits.
  patterns: [
    {
      regex: token(
        '[A-Z](?:[A-Z]{4}|[A-Z]{3}9|[A-Z]{2}99|[A-Z]999|9999) ?\\d(?:0[1-9]|1[0-2]|5[1-9]|6[0-2])(?:0[1-9]|[12]\\d|3[01])\\d ?[A-Z9]{2}[A-Z0-9][A-Z]{2}',
        'i',
      ),
      context: 'optional',
    },
  ],
  context: [
    ...['driving licence', 'driver licence', 'driving license', 'licence number', 'licence no', 'licence'],
    ...['dvla', 'driver number', 'driver'],
  ],
  confidence: { pattern: 0.75, context: 0.95 },
  examples: {
    hits: ['MORGA657054SM9IJ', 'driving licence SMIT9801015JK2CD', 'DVLA: MORGA 657054 SM9IJ'],
    misses: ['MORGA637054SM9IJ', 'MORGA657344SM9IJ', 'MO9GA657054SM9IJ', 'MORGA657054SM9IJX', 'MORGA657054S'],
  },
});

export const ukPassport = defineDetector({
  id: 'uk_passport',
  version: 1,
  family: 'national_id',
  countries: ['GB'],
  title: 'UK passport number',
  gate: { kind: 'digits', least: 7, reach: 16 },
  patterns: [
    { regex: token('[A-Z]{2}\\d{7}'), context: 'optional' },
    { regex: token('[A-Z]{2}\\d{7}|\\d{9}', 'i'), context: 'required' },
  ],
  context: [
    ...['passport', 'passport number', 'passport no', 'uk passport', 'british passport', 'travel document'],
    ...['hm passport office', 'hmpo'],
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['passport number CD7654321', 'British passport 925076473', 'travel document: AB1234567'],
    misses: [
      'CD765432',
      '925076473',
      'passport AB12345678',
      'passport 1234567AB',
      'passport XYZAB1234567QRS',
    ],
  },
});

const judge = judgeBy(validateUtr);

export const ukTaxReference = defineDetector({
  id: 'uk_tax_reference',
  version: 3,
  family: 'tax_id',
  countries: ['GB'],
  title: 'UK unique taxpayer reference',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 10, reach: 16 },
  patterns: [{ regex: token('\\d{5} ?\\d{5}(?: ?K)?|\\d{3} \\d{3} \\d{4}', 'i'), context: 'required' }],
  context: [
    ...['utr', 'unique taxpayer reference', 'tax reference', 'self assessment', 'hmrc', 'taxpayer reference'],
    ...['sa utr', 'tax ref'],
  ],
  judge: (match) => judge(match.replace(/ ?k$/i, '')),
  examples: {
    hits: [
      'UTR 2190300698',
      'self assessment: 58792 24375',
      'unique taxpayer reference 5949056167',
      'UTR 2190300698K',
      'sa utr 21903 00698 k',
    ],
    misses: ['2190300698', 'UTR 2190300697', 'UTR 21903006980', 'nutria 2190300698', 'UTR 2190300697K'],
  },
});
