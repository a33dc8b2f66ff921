import { validate as validateCif } from 'stdnum/lib/cjs/es/cif.js';
import { validate as validateNss } from 'stdnum/lib/cjs/es/nss.js';
import validator from 'validator';
import { COMMON_SHAPE, judgeBy } from '../checks/judge-by.ts';
import { isLuhn } from '../checks/luhn.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

const judge = (match: string): Verdict =>
  validator.isIdentityCard(compact(match), 'ES') ? 'checksum' : 'no';
/**
 * The letters K, L and M mark children, Spaniards abroad and foreigners without a number of their own. Their check
 * letter is computed from seven digits.
 */
const judgeNif = (match: string): Verdict =>
  judge(
    compact(match)
      .replace(/^[KLM]/, '0')
      .padStart(9, '0'),
  );

export const esDni = defineDetector({
  id: 'es_dni',
  version: 3,
  family: 'national_id',
  countries: ['ES'],
  title: 'Spanish identity number (DNI)',
  randomMatch: 1 / 26,
  gate: { kind: 'digits', least: 5, reach: 16 },
  patterns: [
    { regex: token('\\d{7,8}[ -]?[A-HJ-NP-TV-Z]', 'i'), context: 'optional' },
    { regex: token('[KLM][ -]?\\d{7}[ -]?[A-HJ-NP-TV-Z]', 'i'), context: 'optional' },
    // With dots, and without leading zeros.
    {
      regex: token('(?:\\d{1,2}\\.\\d{3}\\.\\d{3}|\\d{5,6})[ -]?[A-HJ-NP-TV-Z]', 'i'),
      context: 'required',
    },
  ],
  context: [
    'dni',
    'nif',
    'd n i',
    'documento nacional',
    'documento nacional de identidad',
    'identidad',
    'cedula',
  ],
  judge: judgeNif,
  examples: {
    hits: [
      'DNI 12345678Z',
      '55555555-K',
      '1111111G',
      'NIF: 12.345.678-Z',
      'menor, K4719283M',
      'dni 12.345.678-z',
      'DNI 47192-L',
    ],
    misses: [
      'DNI 12345678A',
      'X12345678Z',
      '112345678Z',
      '12345678',
      '47192L',
      'DNI 47192M',
      'NIF K4719283A',
    ],
  },
});

export const esNie = defineDetector({
  id: 'es_nie',
  version: 2,
  family: 'national_id',
  countries: ['ES'],
  title: 'Spanish foreigner identity number (NIE)',
  randomMatch: 1 / 220,
  gate: { kind: 'digits', least: 7, reach: 16 },
  patterns: [{ regex: token('[XYZ][ -]?\\d{7}[ -]?[A-HJ-NP-TV-Z]', 'i'), context: 'optional' }],
  context: ['nie', 'extranjero', 'extranjeros', 'numero de identidad de extranjero', 'residencia', 'tie'],
  judge,
  examples: {
    hits: ['NIE X1234567L', 'Z-8078221-M', 'y8063915z'],
    misses: ['NIE X1234567A', 'AX1234567L', 'X12345678L'],
  },
});

/** Luhn over the seven digits and a check digit. Some kinds of company write the check digit as a letter. */
function mayBeCif(number: string): boolean {
  const letter = 'JABCDEFGHI'.indexOf(number.slice(8));
  return isLuhn(`${number.slice(1, 8)}${letter === -1 ? number.slice(8) : letter}`);
}

export const esCompanyNumber = defineDetector({
  id: 'es_company_number',
  version: 2,
  family: 'tax_id',
  countries: ['ES'],
  title: 'Spanish company tax number (CIF)',
  randomMatch: 1 / 15,
  gate: { kind: 'digits', least: 7, reach: 16 },
  patterns: [
    { regex: token('[A-HJNP-SUVW][ -]?\\d{7}[ -]?[0-9A-J]'), context: 'unless_checksum' },
    {
      regex: token('[A-HJNP-SUVW][ -]?(?:\\d{7}|\\d{2}\\.\\d{3}\\.\\d{2})[ -]?[0-9A-J]', 'i'),
      context: 'required',
    },
  ],
  context: [
    ...['cif', 'nif', 'c i f', 'n i f', 'identificacion fiscal', 'numero de identificacion fiscal', 'iva'],
    ...['razon social', 'sociedad'],
  ],
  judge: judgeBy(validateCif, mayBeCif),
  examples: {
    hits: ['CIF B88870316', 'NIF: A-58818501', 'B85165579', 'cif b88870316', 'CIF A-58.818.501'],
    misses: ['CIF B88870317', 'CIF X88870316', 'CIF B888703160', 'CIF BB8870316', 'b88870316'],
  },
});

export const esSocialSecurity = defineDetector({
  id: 'es_social_security',
  version: 2,
  family: 'national_id',
  countries: ['ES'],
  title: 'Spanish social security number (NSS)',
  randomMatch: 1 / 190,
  gate: { kind: 'digits', least: 12, reach: 16 },
  patterns: [{ regex: token('\\d{2}[ /-]?\\d{8}[ /-]?\\d{2}'), context: 'optional' }],
  context: [
    ...['nss', 'naf', 'seguridad social', 'numero de seguridad social', 'afiliacion', 'numero de afiliacion'],
    ...['social security', 'tesoreria general'],
  ],
  judge: judgeBy(validateNss, (number) => Number(number.slice(0, 10)) % 97 === Number(number.slice(10))),
  examples: {
    hits: ['NSS 280003292983', 'seguridad social: 28/78453985/34', '285337971368'],
    misses: ['NSS 280003292984', 'NSS 990003292983', 'NSS 2800032929830', 'seguridad social 28 0003292984'],
  },
});

export const esPassport = defineDetector({
  id: 'es_passport',
  version: 2,
  family: 'national_id',
  countries: ['ES'],
  title: 'Spanish passport number',
  gate: { kind: 'digits', least: 6, reach: 16 },
  patterns: [
    { regex: token('[A-Z]{3}\\d{6}', 'i'), context: 'optional' },
    { regex: token('[A-Z]{2}\\d{6}', 'i'), context: 'required' },
  ],
  context: [
    'pasaporte',
    'numero de pasaporte',
    'n de pasaporte',
    'passport',
    'passport number',
    'passport no',
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['Mi pasaporte es AAA123456', 'xyz987654', 'Pasaporte nº: ZAB000254', 'pasaporte QX471928'],
    misses: ['AAAA12345', 'AAA12345', 'pasaporte AAA1234567', 'pasaporte 1AAA123456', 'QX471928'],
  },
});
