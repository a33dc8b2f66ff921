import { validate as validateAadhaar } from 'stdnum/lib/cjs/in/aadhaar.js';
import { validate as validateEpic } from 'stdnum/lib/cjs/in/epic.js';
import { validate as validateGstin } from 'stdnum/lib/cjs/in/gstin.js';
import { verhoeffValidate } from 'stdnum/lib/cjs/util/checksum.js';
import { COMMON_SHAPE, judgeBy, judgeSoftlyBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const inAadhaar = defineDetector({
  id: 'in_aadhaar',
  version: 3,
  family: 'national_id',
  countries: ['IN'],
  title: 'Indian Aadhaar number',
  randomMatch: 1 / 12.5,
  gate: { kind: 'digits', least: 12, reach: 16 },
  patterns: [{ regex: token('[2-9]\\d{3}([ :-]?)\\d{4}\\1\\d{4}'), context: 'optional' }],
  context: [
    'aadhaar',
    'aadhar',
    'adhaar',
    'uidai',
    'aadhaar number',
    'aadhaar card',
    'aadhar card',
    'आधार',
    'आधार संख्या',
  ],
  judge: judgeBy(validateAadhaar, verhoeffValidate),
  examples: {
    hits: ['Aadhaar 3123 4567 8909', 'आधार संख्या ३१२३ ४५६७ ८९०९', '298448863364', 'UIDAI: 6750-8448-7183'],
    misses: [
      'Aadhaar 3123 4567 8908',
      'Aadhaar 1234 5678 9012',
      'Aadhaar 3123 4567-8909',
      'Aadhaar 3123 4567 89090',
    ],
  },
});

export const inPan = defineDetector({
  id: 'in_pan',
  version: 1,
  family: 'tax_id',
  countries: ['IN'],
  title: 'Indian permanent account number',
  gate: { kind: 'digits', least: 4, reach: 16 },
  // Five letters, four digits, and a check letter whose algorithm is not public.
  patterns: [
    { regex: token('[A-Z]{5}(?!0000)\\d{4}[A-Z]'), context: 'optional' },
    { regex: token('[A-Z]{3}[ABCFGHJKLPT][A-Z](?!0000)\\d{4}[A-Z]', 'i'), context: 'optional' },
  ],
  context: [
    'pan',
    'pan card',
    'pan no',
    'pan number',
    'permanent account',
    'permanent account number',
    'income tax',
  ],
  confidence: { pattern: 0.4, context: 0.9 },
  examples: {
    hits: ['PAN ABCPD1234Z', 'AAASA1111R', 'pan no: aaapl1234c'],
    misses: ['PAN ABCPD0000Z', 'PAN ABCPD12345', 'PAN AABCPD1234Z', 'PAN ABCP1234ZZ'],
  },
});

export const inGstin = defineDetector({
  id: 'in_gstin',
  version: 2,
  family: 'tax_id',
  countries: ['IN'],
  title: 'Indian goods and services tax number',
  randomMatch: 1 / 5_500,
  gate: { kind: 'digits', least: 6, reach: 16 },
  // State, permanent account number, entity, Z, check character.
  patterns: [
    {
      regex: token('(?:0[1-9]|[12]\\d|3[0-7])[A-Z]{5}\\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]', 'i'),
      context: 'optional',
    },
  ],
  context: ['gstin', 'gst', 'gst number', 'gst no', 'goods and services tax', 'tax invoice', 'gstin no'],
  judge: judgeSoftlyBy(validateGstin),
  confidence: { pattern: 0.5, context: 0.8 },
  examples: {
    hits: ['GSTIN 27AAPFU0939F1ZV', '37ABCDE1234F1Z5', 'GST no: 29AAGCB7383J1Z4'],
    misses: [
      'GSTIN 38AAPFU0939F1ZV',
      'GSTIN 00ABCDE1234F1Z5',
      '27ABCDE1234F1Y5',
      '27ABCDE1234F1Z',
      '27ABCDE1234F0Z5',
    ],
  },
});

export const inVoterId = defineDetector({
  id: 'in_voter_id',
  version: 2,
  family: 'national_id',
  countries: ['IN'],
  title: 'Indian voter id (EPIC)',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 7, reach: 16 },
  // The formats since 1998 and before: state, constituency, number.
  patterns: [
    { regex: token('[A-Z]{3}\\d{7}', 'i'), context: 'optional' },
    { regex: token('[A-Z]{2}/\\d{2}/\\d{3}/\\d{6,7}', 'i'), context: 'required' },
  ],
  context: ['voter', 'voter id', 'epic', 'epic no', 'election card', 'elector', 'election commission'],
  judge: judgeSoftlyBy(validateEpic),
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['voter id KSD1287349', 'uzb2345117', 'EPIC WKH8437881', 'voter id QX/12/345/471928'],
    misses: [
      'voter id zxdf8923q1',
      'voter id KSD12873490',
      'voter id AKSD1287349',
      'voter id KS1287349',
      'QX/12/345/471928',
    ],
  },
});

export const inPassport = defineDetector({
  id: 'in_passport',
  version: 2,
  family: 'national_id',
  countries: ['IN'],
  title: 'Indian passport number',
  gate: { kind: 'digits', least: 7, reach: 16 },
  // Neither the first nor the last digit is zero.
  patterns: [
    { regex: token('[A-PR-WY][1-9]\\d ?\\d{4}[1-9]'), context: 'optional' },
    { regex: token('[A-PR-WY][ -]?[1-9]\\d ?\\d{4}[1-9]', 'i'), context: 'required' },
  ],
  context: ['passport', 'indian passport', 'passport number', 'passport no', 'travel document'],
  confidence: COMMON_SHAPE,
  examples: {
    hits: [
      'B3097651',
      'my passport number is T3569075',
      'Indian passport: J83 69854',
      'passport b4719283',
      'passport B-4719283',
    ],
    misses: ['passport T356907', 'passport T0569075', 'passport T3569070', 'passport Q3569075', 'b4719283'],
  },
});

export const inIfsc = defineDetector({
  id: 'in_ifsc',
  version: 1,
  family: 'bank',
  countries: ['IN'],
  title: 'Indian bank branch code (IFSC)',
  gate: { kind: 'digits', least: 1, reach: 16 },
  // Four letters of the bank, a zero, and the branch (Reserve Bank of India).
  patterns: [
    { regex: token('[A-Z]{4}0\\d{6}'), context: 'optional' },
    { regex: token('[A-Z]{4}0[A-Z0-9]{6}', 'i'), context: 'required' },
  ],
  context: ['ifsc', 'ifsc code', 'ifs code', 'rtgs', 'neft', 'branch code'],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['IFSC: HDFC0001234', 'NEFT to sbin0abc123', 'IFSC code ICIC0000047'],
    misses: ['IFSC: HDFC1001234', 'IFSC HDF0001234', 'SBIN0ABC123', 'IFSC HDFC00012345'],
  },
});

/** Handles of banks and apps, as the National Payments Corporation of India lists them. */
const UPI_HANDLES =
  'ok(?:axis|hdfcbank|icici|sbi)|ybl|ibl|axl|paytm|pt(?:axis|hdfc|sbi|yes)|upi|apl|yapl|rapl|barodampay|sbi|icici|hdfcbank|axisbank|kotak|kmbl|indus|idfcbank|idfcfirst|federal|rbl|pnb|cnrb|boi|unionbank(?:ofindia)?|freecharge|ikwik|jupiteraxis|fam|axisb|yesbank|yespay|waicici|wahdfcbank|waaxis|wasbi|timecosmos|slc|airtel|postbank|aubank|dbs|hsbc|citi(?:gold)?|sc|ezeepay|eazypay|jio';

export const inUpi = defineDetector({
  id: 'in_upi_id',
  version: 1,
  family: 'payment',
  countries: ['IN'],
  title: 'Indian payment address (UPI)',
  gate: { kind: 'at', reach: 64 },
  patterns: [
    {
      regex: token(`[A-Za-z0-9][A-Za-z0-9._-]{1,49}@(?:${UPI_HANDLES})(?!\\.[A-Za-z])`),
      context: 'optional',
    },
    { regex: token('[A-Za-z0-9][A-Za-z0-9._-]{1,49}@[A-Za-z]{2,20}(?!\\.[A-Za-z])'), context: 'required' },
  ],
  context: [
    'upi',
    'upi id',
    'vpa',
    'bhim',
    'gpay',
    'google pay',
    'phonepe',
    'paytm',
    'virtual payment address',
  ],
  confidence: { pattern: 0.6, context: 0.85 },
  examples: {
    hits: ['pay rajesh.kumar@okhdfcbank', '9876543210@ybl', 'UPI ID: meera@bankxyz'],
    misses: ['meera@bankxyz', 'anna@upi.example.com', 'icon@2x', '@ybl'],
  },
});

export const inDrivingLicence = defineDetector({
  id: 'in_driving_licence',
  version: 1,
  family: 'national_id',
  countries: ['IN'],
  title: 'Indian driving licence number',
  gate: { kind: 'digits', least: 11, reach: 20 },
  // State, office, year of issue and seven digits (Ministry of Road Transport and Highways, 2007).
  patterns: [{ regex: token('[A-Z]{2}[ -]?\\d{2}[ -]?(?:19|20)\\d{2}[ -]?\\d{7}'), context: 'required' }],
  context: [
    'dl',
    'dl no',
    'dl number',
    'driving licence',
    'driving license',
    'licence number',
    'license number',
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: [
      'DL No: MH12 20110012345',
      'driving licence KA-05-2015-0034567',
      'licence number DL14 2019 0012345',
    ],
    misses: ['MH12 20110012345', 'DL MH12 30110012345', 'DL MH12 2011001234'],
  },
});

export const inMemberNumber = defineDetector({
  id: 'in_member_number',
  version: 1,
  family: 'national_id',
  countries: ['IN'],
  title: 'Indian provident fund or health account number (UAN, ABHA)',
  gate: { kind: 'digits', least: 12, reach: 20 },
  patterns: [{ regex: token('1\\d{11}|\\d{2}(-?)\\d{4}\\1\\d{4}\\1\\d{4}'), context: 'required' }],
  context: ['uan', 'uan number', 'universal account number', 'epfo', 'abha', 'abha number', 'health id'],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['UAN: 100904319456', 'ABHA number 91-1234-5678-9012', 'EPFO UAN 101234567890'],
    misses: ['100904319456', 'UAN 900904319456', 'ABHA 91-1234-5678-901'],
  },
});
