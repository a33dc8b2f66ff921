import { validate as validateIva } from 'stdnum/lib/cjs/it/iva.js';
import validator from 'validator';
import { COMMON_SHAPE, judgeBy } from '../checks/judge-by.ts';
import { isLuhn } from '../checks/luhn.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** The office that issued the number (Agenzia delle Entrate: provinces, and 120, 121, 888 and 999). */
const IVA_OFFICE = '(?:0\\d{2}|100|12[01]|888|999)';

export const itVatNumber = defineDetector({
  id: 'it_vat_number',
  version: 2,
  family: 'tax_id',
  countries: ['IT'],
  title: 'Italian VAT number (partita IVA)',
  randomMatch: 1 / 100,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [{ regex: token(`(?:IT ?)?\\d{7}${IVA_OFFICE}\\d`, 'i'), context: 'optional' }],
  context: [
    ...['partita iva', 'p iva', 'piva', 'iva', 'partita', 'codice iva', 'vat', 'vat number', 'vat id'],
    ...['cf', 'codice fiscale', 'fattura', 'vat code'],
  ],
  judge: judgeBy(validateIva, (number) => isLuhn(number.replace('IT', ''))),
  examples: {
    hits: ['partita IVA 70642800810', 'P.IVA IT01333550323', '32738520454'],
    misses: ['partita IVA 70642800811', 'P.IVA 00000000000', 'P.IVA 00000000001', 'P.IVA 706428008100'],
  },
});

export const itDrivingLicence = defineDetector({
  id: 'it_driving_licence',
  version: 1,
  family: 'national_id',
  countries: ['IT'],
  title: 'Italian driving licence number',
  gate: { kind: 'digits', least: 3, reach: 16 },
  patterns: [
    // Since 2013, without vowels and without letters that look like digits.
    { regex: token('U1[B-DF-HJ-NP-TV-Z0-9][A-Z0-9]{6}[A-Z]', 'i'), context: 'optional' },
    { regex: token('(?!U1)[A-Z]{2}\\d{7}[A-Z]', 'i'), context: 'required' },
  ],
  context: [
    ...['patente', 'patente di guida', 'numero patente', 'licenza', 'licenza di guida', 'driving licence'],
    ...['driver license', 'driving license', 'license', 'licence', 'motorizzazione'],
  ],
  judge: (match) => (/\d[^\d]{0,9}\d[^\d]{0,9}\d/.test(match) ? 'shape' : 'no'),
  confidence: { pattern: 0.3, context: 0.9 },
  examples: {
    hits: ['patente U1K711J11M', 'U1H43Y719D', 'patente di guida MI1234567X'],
    misses: ['990123456B', 'MI1234567X', 'patente U1K711J111', 'patente U1K711J11MM', 'patente U1ABCDEFGH'],
  },
});

export const itIdCard = defineDetector({
  id: 'it_id_card',
  version: 1,
  family: 'national_id',
  countries: ['IT'],
  title: 'Italian identity card number',
  gate: { kind: 'digits', least: 5, reach: 16 },
  patterns: [
    { regex: token('[A-Z]{2} ?\\d{5} ?[A-Z]{2}', 'i'), context: 'optional' },
    { regex: token('\\d{7}[A-Z]{2}', 'i'), context: 'optional' },
    { regex: token('[A-Z]{2} ?\\d{7}', 'i'), context: 'required' },
  ],
  context: [
    ...[
      'carta d identita',
      'carta identita',
      'carta di identita',
      'cie',
      'documento d identita',
      'documento',
    ],
    ...['identity card', 'id card'],
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ["carta d'identità CA12345AB", 'CR43675TM', '1234567AA', 'CIE: AX 1234567'],
    misses: ['AX1234567', 'CIE CA123456AB', "carta d'identità C12345AB", 'CIE 12345678AA'],
  },
});

export const itPassport = defineDetector({
  id: 'it_passport',
  version: 1,
  family: 'national_id',
  countries: ['IT'],
  title: 'Italian passport number',
  gate: { kind: 'digits', least: 7, reach: 16 },
  patterns: [
    { regex: token('[A-Z]{2}\\d{7}'), context: 'optional' },
    { regex: token('[A-Z]{2} ?\\d{7}', 'i'), context: 'required' },
  ],
  context: [
    'passaporto',
    'numero passaporto',
    'n passaporto',
    'italian passport',
    'passport number',
    'passport',
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['passaporto YA8335453', 'Numero passaporto: AA 1234567', 'Italian passport YB1234567'],
    misses: ['YA 8335453', 'passaporto YA83354533', 'passaporto YAB335453', 'passaporto 83354530'],
  },
});

/** Letters replace digits where two people would have the same code. */
const DIGIT = '[0-9LMNPQRSTUV]';

/** The values of the characters at odd places, `0` to `9` as `A` to `J` (D.M. 23/12/1976). At even places, their order counts. */
const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
const REPLACED = 'LMNPQRSTUV';

function checkLetter(body: string): string {
  const sum = Array.from(body, (character, i) => {
    const order = /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65;
    return i % 2 === 0 ? (ODD[order] ?? 0) : order;
  }).reduce((all, value) => all + value, 0);
  return String.fromCharCode(65 + (sum % 26));
}

/** The check letter is that of the code as it is written. Date and place are those of its digits. */
function judgeFiscalCode(match: string): Verdict {
  const code = compact(match);
  if (checkLetter(code.slice(0, 15)) !== code.at(-1)) return 'no';
  const body = code
    .slice(0, 15)
    .replace(/(?<=^(?:.{6}|.{7}|.{9}|.{10}|.{12}|.{13}|.{14}))[LMNPQRSTUV]/g, (letter) =>
      String(REPLACED.indexOf(letter)),
    );
  return validator.isTaxID(body + checkLetter(body), 'it-IT') ? 'checksum' : 'no';
}

export const itFiscalCode = defineDetector({
  id: 'it_fiscal_code',
  version: 3,
  family: 'tax_id',
  countries: ['IT'],
  title: 'Italian fiscal code',
  randomMatch: 1 / 410,
  gate: { kind: 'digits', least: 1, reach: 20 },
  patterns: [
    {
      regex: token(`[A-Z]{3} ?[A-Z]{3} ?${DIGIT}{2}[A-EHLMPRST]${DIGIT}{2} ?[A-Z]${DIGIT}{3} ?[A-Z]`, 'i'),
      context: 'optional',
    },
  ],
  context: [
    'codice fiscale',
    'cod fiscale',
    'cod fisc',
    'cf',
    'c f',
    'fiscale',
    'fiscal code',
    'tessera sanitaria',
  ],
  judge: judgeFiscalCode,
  examples: {
    hits: ['codice fiscale RSSMRA85T10A562S', 'rssmra85t10a562s', 'BNC LCU 70B18 F205 K'],
    misses: ['RSSMRA85T10A562T', 'XRSSMRA85T10A562S', 'RSSMRA85G10A562S'],
  },
});
