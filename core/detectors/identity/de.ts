import { validate as validateSvnr } from 'stdnum/lib/cjs/de/svnr.js';
import { validate as validateVat } from 'stdnum/lib/cjs/de/vat.js';
import { iso7064mod10x11validate } from 'stdnum/lib/cjs/util/iso7064.js';
import validator from 'validator';
import { COMMON_SHAPE, judgeBy, weigh } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** Numbers on forms and in examples. Their check digit is wrong. */
const VAT_SAMPLES = new Set(['DE123456789', 'DE999999999']);
const judgeVat = judgeBy(validateVat);

export const deVatId = defineDetector({
  id: 'de_vat_id',
  version: 2,
  family: 'tax_id',
  countries: ['DE'],
  title: 'German VAT identification number',
  randomMatch: 1 / 4_600,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [{ regex: token('DE[ .-]?\\d{3}[ .-]?\\d{3}[ .-]?\\d{3}', 'i'), context: 'optional' }],
  context: [
    ...['ust', 'ust id', 'ust id nr', 'ust idnr', 'ust id nummer', 'ustid', 'uid', 'umsatzsteuer', 'vat'],
    ...['umsatzsteuer id', 'umsatzsteueridentifikationsnummer', 'umsatzsteuer identifikationsnummer'],
    ...['vat id', 'vat number', 'vat no', 'mwst', 'rechnung', 'tva', 'iva', 'btw', 'nip'],
  ],
  judge: (match) => (VAT_SAMPLES.has(compact(match)) ? 'sample' : judgeVat(match)),
  examples: {
    hits: ['DE136695976', 'USt-IdNr. DE 136 695 976', 'de.129.273.398', 'DE123456789'],
    misses: ['DE987654321', 'DE1366959767', 'ADE136695976', 'DE13669597', 'FR136695976'],
  },
});

export const deSocialSecurity = defineDetector({
  id: 'de_social_security',
  version: 2,
  family: 'national_id',
  countries: ['DE'],
  title: 'German pension insurance number',
  randomMatch: 1 / 120,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [{ regex: token('\\d{2} ?\\d{6} ?[A-Z] ?\\d{2} ?\\d', 'i'), context: 'optional' }],
  context: [
    ...['rvnr', 'svnr', 'sv nummer', 'sv nr', 'sozialversicherung', 'sozialversicherungsnummer'],
    ...[
      'sozialversicherungsausweis',
      'rentenversicherung',
      'rentenversicherungsnummer',
      'versicherungsnummer',
    ],
    ...['rv nummer', 'vsnr', 'social security', 'pension insurance', 'deutsche rentenversicherung'],
  ],
  judge: judgeBy(validateSvnr),
  examples: {
    hits: ['15070649C103', 'RVNR: 15 070649 C 10 3', 'Sozialversicherungsnummer 20151090b023'],
    misses: ['15070649C100', '15071349C103', '15070649C1030', '15070649103', 'X15070649C103'],
  },
});

/**
 * The letter counts as its position in the alphabet. Weights 1 and 2 with digit sums, modulo 10 (GKV-Spitzenverband).
 */
function judgeHealthInsurance(match: string): Verdict {
  const number = compact(match);
  const place = String(number.charCodeAt(0) - 64).padStart(2, '0');
  const digits = `${place}${number.slice(1, 9)}`;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const product = Number(digits[i]) * (1 + (i % 2));
    sum += product > 9 ? product - 9 : product;
  }
  return sum % 10 === Number(number[9]) ? 'checksum' : 'no';
}

export const deHealthInsurance = defineDetector({
  id: 'de_health_insurance',
  version: 2,
  family: 'health',
  countries: ['DE'],
  title: 'German health insurance number (KVNR)',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [{ regex: token('[A-Z] ?\\d{3} ?\\d{3} ?\\d{3}', 'i'), context: 'optional' }],
  context: [
    ...['kvnr', 'kv nr', 'kv nummer', 'krankenversichertennummer', 'versichertennummer', 'versicherten nr'],
    ...[
      'krankenkasse',
      'krankenversicherung',
      'gesundheitskarte',
      'egk',
      'e gk nummer',
      'egk nummer',
      'egk nr',
    ],
    ...['versicherte', 'versicherter', 'versichertenkarte', 'health insurance', 'insurance number'],
  ],
  judge: judgeHealthInsurance,
  examples: {
    hits: ['A123456780', 'KVNR: B123456782', 'Krankenkasse AOK, C 000 500 021'],
    misses: ['A123456787', 'KVNR 1123456780', 'KVNR AB123456780', 'KVNR A1234567801'],
  },
});

export const deDrivingLicence = defineDetector({
  id: 'de_driving_licence',
  version: 2,
  family: 'national_id',
  countries: ['DE'],
  title: 'German driving licence number',
  gate: { kind: 'digits', least: 4, reach: 16 },
  patterns: [
    { regex: token('[A-Z]{2}\\d{8}[A-Z0-9]', 'i'), context: 'optional' },
    { regex: token('[A-Z0-9]\\d{2}[A-Z0-9]{6}\\d[A-Z0-9]', 'i'), context: 'required' },
  ],
  context: [
    ...['fuhrerschein', 'fuehrerschein', 'fuhrerscheinnummer', 'fuehrerscheinnummer', 'fuhrerschein nr'],
    ...['fahrerlaubnis', 'fahrerlaubnisnummer', 'driving licence', 'driver license', 'permis de conduire'],
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: [
      'BO12345678A',
      'Führerscheinnummer: J010000SD51',
      'Fahrerlaubnis MU12345678B',
      'führerschein j010000sd51',
    ],
    misses: ['BO12345678', 'B12345678A', 'J010000SD51', 'Fahrerlaubnis ABO12345678A'],
  },
});

/**
 * Weights 4 and 9. The check digit completes the sum to a multiple of 10. Two digits of the specialty follow (KBV,
 * Arztnummern).
 */
function judgeDoctor(match: string): Verdict {
  const expected = (10 - (weigh(match, [4, 9, 4, 9, 4, 9]) % 10)) % 10;
  return expected === Number(match[6]) && !/^0{6}/.test(match) ? 'checksum' : 'no';
}

export const deDoctorNumber = defineDetector({
  id: 'de_doctor_number',
  version: 2,
  family: 'health',
  countries: ['DE'],
  title: 'German doctor number (LANR)',
  randomMatch: 1 / 14.5,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [{ regex: token('\\d{7}(?:0[1-9]|[1-6]\\d|99)'), context: 'optional' }],
  context: [
    ...[
      'lanr',
      'arztnummer',
      'arzt nr',
      'arztnr',
      'lebenslange arztnummer',
      'vertragsarzt',
      'verordnender arzt',
    ],
    ...['physician number', 'kbv'],
  ],
  judge: judgeDoctor,
  examples: {
    hits: ['LANR 234567701', '234567701', 'Arztnummer: 987654401'],
    misses: ['LANR 123456901', 'LANR 000000000', 'LANR 2345677011', 'LANR 234567700'],
  },
});

export const dePracticeNumber = defineDetector({
  id: 'de_practice_number',
  version: 1,
  family: 'health',
  countries: ['DE'],
  title: 'German practice number (BSNR)',
  gate: { kind: 'digits', least: 9, reach: 16 },
  // The first two digits identify the association of doctors. There is no check digit.
  patterns: [
    { regex: token('(?:0[1-3]|17|20|35|38|46|5[12]|7[1-48]|83|88|9[2-689])\\d{7}'), context: 'required' },
  ],
  context: [
    'bsnr',
    'betriebsstattennummer',
    'betriebsstatten nr',
    'betriebsstaettennummer',
    'betriebsstatte',
  ],
  confidence: { context: 0.85 },
  examples: {
    hits: ['BSNR 021234568', 'Betriebsstättennummer: 721234501', 'Praxis, BSNR: 381234500'],
    misses: ['021234568', 'BSNR 0212345689', 'BSNR 000000000', 'BSNR 02123456A'],
  },
});

export const deCommercialRegister = defineDetector({
  id: 'de_commercial_register',
  version: 2,
  family: 'organization',
  countries: ['DE'],
  title: 'German commercial register number',
  gate: { kind: 'literals', literals: ['HRA', 'HRB', 'HR A', 'HR B', 'hra', 'hrb', 'Hra', 'Hrb'], reach: 20 },
  patterns: [
    {
      regex: token('HR ?[AB](?:[ -]|: ?)?(?:Nr\\.?:? |Nummer:? )?\\d{1,6}(?: [A-Z](?![A-Za-z]))?'),
      context: 'optional',
    },
    { regex: token('[Hh]r[ab](?:[ -]|: ?)?(?:[Nn]r\\.?:? )?\\d{1,6}'), context: 'required' },
  ],
  context: [
    ...['amtsgericht', 'handelsregister', 'handelsregisternummer', 'registergericht', 'hrb', 'hra', 'ag'],
    ...['commercial register', 'registernummer', 'gmbh'],
  ],
  confidence: { pattern: 0.6, context: 0.9 },
  examples: {
    hits: [
      'Amtsgericht München HRB 12345',
      'HRA12345',
      'Handelsregister: HRB 123456 B',
      'HR B 12345',
      'Amtsgericht Köln, HRB-Nr. 12345',
      'gmbh, hrb 12345',
    ],
    misses: ['hrb 12345', 'HRC 12345', 'HRB 1234567', 'THRB 12345', 'HRB ABC'],
  },
});

/**
 * Among the first ten digits of a real number, one occurs more than once. Examples such as `12345678903` repeat none.
 */
function judgeTaxId(match: string): Verdict {
  const number = compact(match);
  if (!iso7064mod10x11validate(number)) return 'no';
  if (validator.isTaxID(number, 'de-DE')) return 'checksum';
  return new Set(number.slice(0, 10)).size === 10 ? 'sample' : 'no';
}

export const deTaxId = defineDetector({
  id: 'de_tax_id',
  version: 3,
  family: 'tax_id',
  countries: ['DE'],
  title: 'German tax identification number',
  randomMatch: 1 / 300,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [
    { regex: token('[1-9]\\d ?\\d{3} ?\\d{3} ?\\d{3}'), context: 'optional' },
    { regex: token('[1-9]\\d([/.-])\\d{3}\\1\\d{3}\\1\\d{3}'), context: 'optional' },
  ],
  context: [
    ...[
      'steuer',
      'steuer id',
      'steuerid',
      'steueridentifikationsnummer',
      'steuerliche identifikationsnummer',
    ],
    ...['identifikationsnummer', 'steuernummer', 'idnr', 'id nr', 'tin', 'tax', 'tax id', 'finanzamt'],
    ...['lohnsteuer', 'steuer idnr', 'tax identification number'],
  ],
  judge: judgeTaxId,
  examples: {
    hits: ['Steuer-ID: 86095742719', 'IdNr. 65 929 970 489', '26954371827', '12345678903'],
    misses: ['Steuer-ID: 86095742718', '06095742719', 'Steuer-ID 860957427199', '11111111111', '12345678901'],
  },
});
