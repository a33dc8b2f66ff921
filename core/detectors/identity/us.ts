import { COMMON_SHAPE, weigh } from '../checks/judge-by.ts';
import { isLuhn } from '../checks/luhn.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/**
 * A 9 and two digits, then a group that the IRS assigns to ITINs: 50-65, 70-88, 90-92, 94-99 (IRS Publication 1915).
 */
const ITIN_GROUP = '(?:5\\d|6[0-5]|7\\d|8[0-8]|9[0-24-9])';

export const usItin = defineDetector({
  id: 'us_itin',
  version: 2,
  family: 'tax_id',
  countries: ['US'],
  title: 'US individual taxpayer identification number',
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [
    { regex: token(`9\\d{2}-${ITIN_GROUP}-\\d{4}`), context: 'optional' },
    { regex: token(`9\\d{2}[ .-]?${ITIN_GROUP}[ .-]?\\d{4}`), context: 'required' },
  ],
  context: [
    ...[
      'itin',
      'individual taxpayer',
      'individual taxpayer identification number',
      'taxpayer',
      'taxpayer id',
    ],
    ...['tax id', 'tin', 'irs', 'w 7'],
  ],
  confidence: { pattern: 0.6, context: 0.9 },
  examples: {
    hits: [
      '911-70-1234',
      'ITIN 900701234',
      'taxpayer id: 978 92 4411',
      'ITIN 911-701234',
      'itin 911.70.1234',
    ],
    misses: [
      '911-89-1234',
      '911-93-1234',
      '900701234',
      '811-70-1234',
      '1911-70-1234',
      '911-70-12345',
      '911-701234',
    ],
  },
});

/**
 * The first two digits identify the campus that assigned the number (IRS, How EINs are assigned). There is no check
 * digit.
 */
const EIN_PREFIX = '(?!0[07-9]|1[7-9]|2[89]|49|69|7[089]|89|9[67])\\d{2}';

export const usEin = defineDetector({
  id: 'us_ein',
  version: 1,
  family: 'tax_id',
  countries: ['US'],
  title: 'US employer identification number',
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [
    { regex: token(`${EIN_PREFIX}-\\d{7}`), context: 'optional' },
    { regex: token(`${EIN_PREFIX} ?\\d{7}`), context: 'required' },
  ],
  context: [
    ...['ein', 'fein', 'employer identification', 'employer identification number', 'federal tax id'],
    ...['federal employer', 'tax id', 'taxpayer id', 'irs number'],
  ],
  confidence: { pattern: 0.2, context: 0.85 },
  examples: {
    hits: [
      'EIN 52-5965890',
      '67-1234567',
      'Federal Tax ID: 921903006',
      'employer identification number 98-7064280',
    ],
    misses: ['525965890', 'EIN 07-1234567', 'EIN 52-59658901', 'protein 525965890'],
  },
});

/** Luhn over the number with the prefix 80840 of US health ids (CMS, NPI check digit). */
const judgeNpi = (match: string): Verdict => (isLuhn(`80840${compact(match)}`) ? 'checksum' : 'no');

export const usNpi = defineDetector({
  id: 'us_npi',
  version: 3,
  family: 'health',
  countries: ['US'],
  title: 'US national provider identifier',
  randomMatch: 1 / 50,
  gate: { kind: 'digits', least: 10, reach: 16 },
  // Free-phone numbers of several countries begin with 1300 or 1800.
  patterns: [
    { regex: token('(?!1[38]00)(?:[12]\\d{9}|[12]\\d{3}([ -])\\d{3}\\1\\d{3})'), context: 'optional' },
    { regex: token('1[38]00\\d{6}'), context: 'required' },
  ],
  context: [
    ...['npi', 'national provider', 'national provider identifier', 'provider id', 'provider identifier'],
    ...['provider number', 'physician', 'prescriber'],
  ],
  judge: judgeNpi,
  examples: {
    hits: ['NPI 1234567893', '1245319599', 'provider identifier: 1245-319-599'],
    misses: [
      '1800 463 333',
      '1800463332',
      'NPI 1234567890',
      '3234567893',
      'NPI 12345678934',
      'NPI 123456789',
    ],
  },
});

/** All letters except S, L, O, I, B and Z (CMS, "Understanding the Medicare Beneficiary Identifier"). */
const MBI_LETTER = '[AC-HJKMNP-RT-Y]';
const MBI_EITHER = '[0-9AC-HJKMNP-RT-Y]';

export const usMbi = defineDetector({
  id: 'us_mbi',
  version: 1,
  family: 'health',
  countries: ['US'],
  title: 'US Medicare beneficiary identifier',
  gate: { kind: 'digits', least: 5, reach: 16 },
  patterns: [
    {
      regex: token(
        `[1-9]${MBI_LETTER}${MBI_EITHER}\\d(-?)${MBI_LETTER}${MBI_EITHER}\\d\\1${MBI_LETTER}{2}\\d{2}`,
        'i',
      ),
      context: 'optional',
    },
  ],
  context: [
    'mbi',
    'medicare',
    'medicare number',
    'medicare id',
    'beneficiary',
    'beneficiary id',
    'cms',
    'hicn',
  ],
  confidence: { pattern: 0.7, context: 0.95 },
  examples: {
    hits: ['1EG4-TE5-MK73', 'Medicare number 4EF6GH8JK12', '1eg4-te5-mk73'],
    misses: ['1SG4-TE5-MK73', '1EG4-ZE5-MK73', 'AEG4-TE5-MK73', '1EG4TE5MK734', '1EG4-TE5MK73'],
  },
});

/** Registrant letter, letter of the surname or 9, six digits and their check digit (DEA, Diversion Control Division). */
function judgeDea(match: string): Verdict {
  const digits = compact(match).slice(2);
  return weigh(digits, [1, 2, 1, 2, 1, 2]) % 10 === Number(digits[6]) ? 'checksum' : 'no';
}

export const usDea = defineDetector({
  id: 'us_dea',
  version: 2,
  family: 'health',
  countries: ['US'],
  title: 'US DEA registration number',
  randomMatch: 1 / 14.5,
  gate: { kind: 'digits', least: 7, reach: 16 },
  patterns: [{ regex: token('[A-HJ-MPRSTUX][A-Z9]-?\\d{7}', 'i'), context: 'optional' }],
  context: [
    ...[
      'dea',
      'dea number',
      'dea no',
      'dea registration',
      'medical license',
      'medical licence',
      'certificate',
    ],
    ...['prescriber', 'physician', 'controlled substance', 'registration number', 'license number'],
  ],
  judge: judgeDea,
  examples: {
    hits: ['DEA number BB1388568', 'K92993548', 'prescriber ab1234563'],
    misses: ['DEA BB1388567', 'DEA NB1388568', 'DEA BB13885680', 'DEA B1388568'],
  },
});

export const usDriverLicence = defineDetector({
  id: 'us_driver_licence',
  version: 2,
  family: 'national_id',
  countries: ['US'],
  title: 'US driver licence number',
  gate: { kind: 'digits', least: 2, reach: 20 },
  // State formats as listed by AAMVA: mostly one letter and 7 to 14 digits, or only digits.
  patterns: [
    { regex: token('[A-Z]\\d{8}', 'i'), context: 'optional' },
    { regex: token('[A-Z]\\d{7}|[A-Z]\\d{9,14}|[A-Z]{2}\\d{6,7}[A-Z]?', 'i'), context: 'required' },
    { regex: token('[A-Z]\\d{3}([ -])\\d{3}\\1\\d{2,3}(?:\\1\\d{3})?(?:\\1\\d)?', 'i'), context: 'required' },
    { regex: token('\\d{7,14}|\\d{3}([ -])\\d{3}\\1\\d{3}'), context: 'required' },
    // Washington; Iowa, Missouri, Vermont, New Hampshire, North Dakota, Kansas, Idaho.
    { regex: token('[A-Z]{3}[A-Z*]{2}[A-Z]{2}\\d{3}[A-Z0-9]{2}|WDL[A-Z0-9]{9}'), context: 'required' },
    {
      regex: token(
        '\\d{3}[A-Z]{2}\\d{4}|\\d{3}[A-Z]\\d{6}|\\d{7}A|\\d{8}[A-Z]{2}|\\d{9}[A-Z]|[A-Z]\\d{5,6}R?|\\d{2}[A-Z]{3}\\d{5}|[A-Z]{3}\\d{6}|[A-Z]{1,2}\\d{5}|[A-Z]\\d[A-Z]\\d[A-Z]',
        'i',
      ),
      context: 'required',
    },
  ],
  context: [
    ...['driver license', 'drivers license', 'driver s license', 'driving license', 'drivers licence', 'dl'],
    ...['driver licence', 'driver s licence', 'dl number', 'dl no', 'dmv'],
    ...['licencia de conducir', 'licencia de manejo'],
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: [
      "driver's license D1234562",
      'H12234567',
      'DL number: S530-460-84-431-0',
      'driver license 12345678',
      'driver license 471QX9283',
      'dl K4Q7X',
      'driver license 4719283A',
      'driver license 12QXZ47192',
    ],
    misses: [
      '12345678',
      'software license number 12345678',
      'ABCDEFGH',
      "driver's license ABCDEFGH",
      'the handler 12345678',
      'AH12234567',
      '471QX9283',
    ],
  },
});

export const usPassport = defineDetector({
  id: 'us_passport',
  version: 1,
  family: 'national_id',
  countries: ['US'],
  title: 'US passport number',
  gate: { kind: 'digits', least: 8, reach: 16 },
  patterns: [
    { regex: token('[A-Z]\\d{8}', 'i'), context: 'optional' },
    { regex: token('\\d{9}'), context: 'required' },
  ],
  context: ['us passport', 'passport', 'passport number', 'passport no', 'passport card', 'travel document'],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['passport number 912803456', 'A12803456', 'travel document C12803456'],
    misses: ['912803456', 'passport AB1280345', 'passport A128034567', 'passports 9128034567'],
  },
});

/**
 * The first two were withdrawn by the Social Security Administration after they were printed in advertisements. The
 * others are placeholders.
 */
const SAMPLES = new Set(['078051120', '219099999', '123456789', '111111111', '333333333', '999999999']);
const NEVER_ISSUED = /^(?:000|666|9)|^\d{3}00|0000$/;

function judge(match: string): Verdict {
  const number = compact(match);
  if (SAMPLES.has(number)) return 'sample';
  return NEVER_ISSUED.test(number) ? 'no' : 'shape';
}

export const usSsn = defineDetector({
  id: 'us_ssn',
  version: 2,
  family: 'national_id',
  countries: ['US'],
  title: 'US social security number',
  gate: { kind: 'digits', least: 9, reach: 14 },
  patterns: [
    { regex: token('\\d{3}-\\d{2}-\\d{4}'), context: 'optional' },
    { regex: token('\\d{3}[ .]?\\d{2}[ .-]?\\d{4}|\\d{3}-\\d{2}[ .]?\\d{4}'), context: 'required' },
  ],
  context: [
    ...['ssn', 'ssns', 'ssid', 'social security', 'social security number', 'social', 'soc sec', 'taxpayer'],
    ...['tax id', 'seguro social', 'numero de seguro social'],
  ],
  judge,
  confidence: { pattern: 0.6, context: 0.9 },
  examples: {
    hits: [
      '308-63-0237',
      'SSN 308630237',
      'social security number: 308 63 0237',
      'ssn 078-05-1120',
      'SSN 308-630237',
      'ssn 308 63-0237',
    ],
    misses: [
      '308630237',
      '000-12-3456',
      '666-12-3456',
      '900-12-3456',
      '123-00-4567',
      '1308-63-0237',
      '308-63-0237-1',
    ],
  },
});
