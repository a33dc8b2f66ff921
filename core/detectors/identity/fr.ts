import { validate as validateSiren } from 'stdnum/lib/cjs/fr/siren.js';
import { validate as validateSiret } from 'stdnum/lib/cjs/fr/siret.js';
import { COMMON_SHAPE, judgeBy } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** The last three digits are the others modulo 511 (OECD, tax identification numbers, France). */
function judgeTaxNumber(match: string): Verdict {
  const number = compact(match);
  const rest = Number(number.slice(0, 10));
  return rest > 0 && rest % 511 === Number(number.slice(10)) ? 'checksum' : 'no';
}

export const frTaxNumber = defineDetector({
  id: 'fr_tax_number',
  version: 2,
  family: 'tax_id',
  countries: ['FR'],
  title: 'French tax number (SPI)',
  randomMatch: 1 / 2_300,
  gate: { kind: 'digits', least: 13, reach: 16 },
  patterns: [{ regex: token('[0-3]\\d ?\\d{2} ?\\d{3} ?\\d{3} ?\\d{3}'), context: 'optional' }],
  context: [
    ...['spi', 'numero fiscal', 'numero fiscal de reference', 'reference fiscale', 'nif', 'impots', 'impot'],
    ...['avis d imposition', 'identifiant fiscal', 'dgfip', 'tax number', 'tax id', 'tin', 'contribuable'],
  ],
  judge: judgeTaxNumber,
  examples: {
    hits: ['30 23 217 600 053', 'numéro fiscal 3509115939245', 'SPI : 3288970352101'],
    misses: ['30 23 217 600 054', 'SPI 4509115939245', 'SPI 35091159392450', 'SPI 302321760005'],
  },
});

const judgeCompany = judgeBy((number) => (number.length === 14 ? validateSiret : validateSiren)(number));

export const frCompanyNumber = defineDetector({
  id: 'fr_company_number',
  version: 2,
  family: 'tax_id',
  countries: ['FR'],
  title: 'French company number (SIREN, SIRET)',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [
    { regex: token('\\d{3} ?\\d{3} ?\\d{3} ?\\d{5}'), context: 'required' },
    { regex: token('\\d{3}([ .]?)\\d{3}\\1\\d{3}'), context: 'required' },
  ],
  context: [
    'siren',
    'siret',
    'rcs',
    'numero siren',
    'numero siret',
    'n siret',
    'n siren',
    'registre du commerce',
  ],
  judge: judgeCompany,
  examples: {
    hits: ['SIREN 375 975 935', 'SIRET : 52596589092190', 'RCS Paris 359269966'],
    misses: ['375975935', 'SIREN 375975936', 'sirens 375975935', 'SIRET 5259658909219'],
  },
});

export const frIdCard = defineDetector({
  id: 'fr_id_card',
  version: 2,
  family: 'national_id',
  countries: ['FR'],
  title: 'French identity card number',
  gate: { kind: 'digits', least: 2, reach: 16 },
  // Twelve digits until 2021, and nine letters and digits since then.
  patterns: [
    { regex: token('\\d{12}'), context: 'required' },
    { regex: token('[A-Z0-9]{9}', 'i'), context: 'required' },
  ],
  context: [
    ...['cni', 'carte d identite', 'carte nationale d identite', 'carte identite', 'piece d identite'],
    ...['numero de carte d identite', 'french id card', 'cnie'],
  ],
  judge: (match) => (/\d[A-Z]{0,9}\d/i.test(match) && !/^\d{9}$/.test(match) ? 'shape' : 'no'),
  confidence: COMMON_SHAPE,
  examples: {
    hits: [
      'CNI 880692310285',
      'carte nationale d’identité n° X4RTBPFW4',
      'Carte d’identité : D2H6862M2',
      'CNI x4rtbpfw4',
    ],
    misses: ['880692310285', 'X4RTBPFW4', 'carte d’identité ABCDEFGHI', 'CNI 123456789', 'CNI 8806923102850'],
  },
});

export const frPassport = defineDetector({
  id: 'fr_passport',
  version: 2,
  family: 'national_id',
  countries: ['FR'],
  title: 'French passport number',
  gate: { kind: 'digits', least: 7, reach: 16 },
  patterns: [
    { regex: token('\\d{2}[A-Z]{2}\\d{5}'), context: 'optional' },
    { regex: token('\\d{2} ?[A-Z]{2} ?\\d{5}', 'i'), context: 'required' },
  ],
  context: [
    'passeport',
    'numero de passeport',
    'n de passeport',
    'passport',
    'passport number',
    'passport no',
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: [
      'passeport 12AB34567',
      '60RF19342',
      'Numéro de passeport : 05RP34083',
      'passeport 47qx19283',
      'passeport 47 QX 19283',
    ],
    misses: [
      'passeport 12AB3456',
      'passeport 112AB34567',
      'passeport 12ABC4567',
      'passeport AB0123456',
      '47qx19283',
    ],
  },
});

/** The check digits are 97 minus the remainder of the first thirteen digits. Corsica's letters count as 19 and 18. */
function judgeNir(match: string): Verdict {
  const number = compact(match);
  const figures = number.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return 97 - (Number(figures) % 97) === Number(number.slice(13)) ? 'checksum' : 'no';
}

export const frNir = defineDetector({
  id: 'fr_nir',
  version: 2,
  family: 'national_id',
  countries: ['FR'],
  title: 'French social security number (NIR)',
  randomMatch: 1 / 180,
  gate: { kind: 'digits', least: 13, reach: 26 },
  patterns: [
    {
      regex: token(
        '[1-478][ .-]?\\d{2}[ .-]?(?:0[1-9]|1[0-2]|[2-9]\\d)[ .-]?(?:\\d{2}|2[AB])[ .-]?\\d{3}[ .-]?\\d{3}[ .-]?\\d{2}',
      ),
      context: 'optional',
    },
  ],
  context: [
    ...[
      'nir',
      'securite sociale',
      'numero de securite sociale',
      'n de securite sociale',
      'secu',
      'insee',
      'cpam',
    ],
    ...['carte vitale', 'assurance maladie', 'assure', 'social security'],
  ],
  judge: judgeNir,
  examples: {
    hits: [
      'NIR 1 84 12 76 451 089 46',
      '184127645108946',
      'numéro de sécurité sociale : 2 69 05 49 588 157 80',
    ],
    misses: ['184127645108947', '9184127645108946', '1 84 00 76 451 089 46'],
  },
});
