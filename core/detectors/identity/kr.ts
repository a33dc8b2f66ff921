import { validate as validateBrn } from 'stdnum/lib/cjs/kr/brn.js';
import { validate as validateRrn } from 'stdnum/lib/cjs/kr/rrn.js';
import { DAY, MONTH } from '../checks/date-part.ts';
import { COMMON_SHAPE, judgeBy, judgeSoftlyBy, sumsTo, weigh } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

const DATE = `\\d{2}${MONTH}${DAY}`;
/**
 * The two digits after the sex are an area code up to 95 for people registered before October 2020. They are random
 * since then.
 */
const judge = judgeSoftlyBy(validateRrn, sumsTo([2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5, 1], 11, [0, 1]));
const confidence = { pattern: 0.15, context: 0.8 };

export const krRrn = defineDetector({
  id: 'kr_rrn',
  version: 3,
  family: 'national_id',
  countries: ['KR'],
  title: 'South Korean resident registration number',
  randomMatch: 1 / 1_150,
  gate: { kind: 'digits', least: 13, reach: 16 },
  patterns: [{ regex: token(`${DATE}-?[1-4]\\d{6}`), context: 'optional' }],
  context: [
    '주민등록번호',
    '주민번호',
    'rrn',
    'resident registration',
    'resident registration number',
    'korean rrn',
    'jumin',
    'korean id',
  ],
  judge,
  confidence,
  examples: {
    hits: ['주민등록번호: 820701-2409184', '960121-1234567', 'RRN 8507151031632', '000505-3637892'],
    misses: ['RRN 001332-1234567', 'RRN 960303-0021413', 'RRN 960121-12345678', 'RRN 960121+1021413'],
  },
});

export const krForeignerNumber = defineDetector({
  id: 'kr_foreigner_number',
  version: 3,
  family: 'national_id',
  countries: ['KR'],
  title: 'South Korean foreigner registration number',
  randomMatch: 1 / 1_150,
  gate: { kind: 'digits', least: 13, reach: 16 },
  patterns: [{ regex: token(`${DATE}-?[5-8]\\d{6}`), context: 'optional' }],
  context: [
    '외국인등록번호',
    'frn',
    'foreigner registration',
    'foreigner registration number',
    'alien registration',
    'korean frn',
    'arc',
  ],
  judge,
  confidence,
  examples: {
    hits: [
      '외국인등록번호 861223-5000000',
      '911124-5678901',
      'alien registration 0005056637892',
      '000505-7637892',
    ],
    misses: ['FRN 001332-5234567', 'FRN 051102-9234110', 'FRN 911124-56789012', 'FRN 911124+5678901'],
  },
});

/** The product of the ninth digit and 5 counts with its tens digit. */
const mayBeBusinessNumber = (number: string) =>
  (weigh(number, [1, 3, 7, 1, 3, 7, 1, 3, 5, 1]) + Math.floor(Number(number[8]) / 2)) % 10 === 0;

export const krBusinessNumber = defineDetector({
  id: 'kr_business_number',
  version: 3,
  family: 'tax_id',
  countries: ['KR'],
  title: 'South Korean business registration number',
  randomMatch: 1 / 11,
  gate: { kind: 'digits', least: 10, reach: 16 },
  patterns: [{ regex: token('[1-9]\\d{2}(-?)\\d{2}\\1\\d{5}'), context: 'optional' }],
  context: [
    '사업자등록번호',
    '사업자번호',
    'brn',
    'business registration',
    'business registration number',
    'business number',
    'korean brn',
  ],
  judge: judgeBy(validateBrn, mayBeBusinessNumber),
  examples: {
    hits: [
      '사업자등록번호 508-44-87183',
      'BRN 508-44-87183',
      '1048656659',
      'business registration: 989-61-62961',
    ],
    misses: ['104-86-56658', 'BRN 123-45-67890', 'BRN 508-44-871830', 'BRN 508-4487183'],
  },
});

export const krDrivingLicence = defineDetector({
  id: 'kr_driving_licence',
  version: 1,
  family: 'national_id',
  countries: ['KR'],
  title: 'South Korean driving licence number',
  gate: { kind: 'digits', least: 12, reach: 16 },
  // Office 11 to 28, year, number, and check digits whose algorithm is not public.
  patterns: [
    { regex: token('(?:1[1-9]|2[0-8])([ -])\\d{2}\\1\\d{6}\\1\\d{2}'), context: 'optional' },
    { regex: token('(?:1[1-9]|2[0-8])\\d{10}'), context: 'required' },
  ],
  context: ['driver license', 'driving license', 'driving licence', 'driver s license'],
  confidence: { pattern: 0.5, context: 0.9 },
  examples: {
    hits: ['11-22-123456-12', 'driver license 28 22 123456 12', 'driving licence: 112212345612'],
    misses: ['99-22-123456-12', '11-22-123456-1', '111-22-123456-12', '11-22-123456-123', '11-22 123456-12'],
  },
});

export const krPassport = defineDetector({
  id: 'kr_passport',
  version: 2,
  family: 'national_id',
  countries: ['KR'],
  title: 'South Korean passport number',
  gate: { kind: 'digits', least: 7, reach: 16 },
  patterns: [
    { regex: token('[MSRODG]\\d{3}[A-Z]\\d{4}', 'i'), context: 'optional' },
    { regex: token('[MSRODG]\\d{8}', 'i'), context: 'optional' },
  ],
  context: [
    '여권번호',
    '여권',
    'passport',
    'korean passport',
    'passport number',
    'passport no',
    'travel document',
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['여권번호 M12345678', 'M123A4567', 'Korean passport: M456B7890', 's99887766'],
    misses: ['A123B4567', 'M12A4567', 'M123AB567', 'passport M123A456', 'passport M123456789'],
  },
});
