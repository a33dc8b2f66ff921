import { validate as validateStnr } from 'stdnum/lib/cjs/de/stnr.js';
import { validate as validateSvnr } from 'stdnum/lib/cjs/de/svnr.js';
import { validate as validateVat } from 'stdnum/lib/cjs/de/vat.js';
import { defineDetector, type Verdict } from './detector.ts';
import { COMMON_SHAPE, judgeBy, weigh } from './judge-by.ts';
import { compact, token } from './token.ts';

export const deTaxNumber = defineDetector({
  id: 'de_tax_number',
  version: 1,
  family: 'tax_id',
  countries: ['DE'],
  title: 'German tax number (Steuernummer)',
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [
    { regex: token('(?<!/)\\d{2,3}/\\d{3}/\\d{4,5}(?!/)'), context: 'optional' },
    { regex: token('(?<!/)\\d{3}/\\d{4}/\\d{4}(?!/)|(?<!/)\\d{5}/\\d{5}(?!/)'), context: 'required' },
    { regex: token('\\d{2,3}[ -]\\d{3}[ -]\\d{4,5}|\\d{10,11}'), context: 'required' },
    { regex: token('\\d{4}0\\d{8}'), context: 'required' },
  ],
  context: [
    ...['steuernummer', 'steuer nr', 'steuernr', 'st nr', 'stnr', 'finanzamt', 'tax number', 'tax no'],
    ...['umsatzsteuer', 'elster', 'steuernummern', 'numero fiscal'],
  ],
  judge: judgeTaxNumber,
  confidence: { pattern: 0.35, context: 0.85 },
  examples: {
    hits: [
      '123/456/78901',
      'Steuernummer 133/8150/8159',
      'St.-Nr. 21/815/08150',
      'Finanzamt Köln, 5133081508159',
    ],
    misses: [
      '5133081508159',
      '/123/456/78901',
      '123/456/78901/2',
      '2024/123/4567',
      'Steuernummer 123/45/6789',
    ],
  },
});

/** The office and its rule on repeats differ by state, so the check is of the written form only. */
function judgeTaxNumber(match: string): Verdict {
  const number = compact(match);
  return number.length === 13 && !validateStnr(number).isValid ? 'no' : 'shape';
}

/** Printed on forms and in examples; its check digit is wrong. */
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

/** The letter as its place in the alphabet, then weights 1 and 2 with digit sums, to ten (GKV-Spitzenverband). */
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

/** Weights 7, 3, 1 over digits and letters (A = 10), as in machine-readable travel documents (ICAO Doc 9303). */
function documentCheckDigit(document: string): number {
  let sum = 0;
  for (let i = 0; i < document.length; i++)
    sum += Number.parseInt(document[i] ?? '0', 36) * ([7, 3, 1][i % 3] ?? 0);
  return sum % 10;
}

/** Nine characters on the front of the document; the check digit is on its machine-readable side only. */
function judgeDocument(match: string): Verdict {
  const number = compact(match);
  if (!/\d/.test(number.slice(0, 9))) return 'no';
  if (number.length === 9) return 'shape';
  return documentCheckDigit(number.slice(0, 9)) === Number(number[9]) ? 'checksum' : 'no';
}

const DOCUMENT_BODY = '[0-9CFGHJKLMNPRTVWXYZ]{8}';

export const deIdCard = defineDetector({
  id: 'de_id_card',
  version: 2,
  family: 'national_id',
  countries: ['DE'],
  title: 'German identity card number',
  randomMatch: 1 / 25,
  gate: { kind: 'digits', least: 4, reach: 16 },
  patterns: [{ regex: token(`[LMNPRTVWXY]${DOCUMENT_BODY}(?:\\d(?:D|<<)?)?`), context: 'unless_checksum' }],
  context: [
    ...['personalausweis', 'personalausweisnummer', 'ausweis', 'ausweisnummer', 'ausweisnr', 'ausweis nr'],
    ...['perso', 'identity card', 'id card', 'carte d identite', 'serienummer', 'dokumentennummer'],
  ],
  judge: judgeDocument,
  confidence: { context: 0.8 },
  examples: {
    hits: ['Personalausweis L01X00T47', 'L01X00T471', 'Ausweisnummer: T220001293'],
    misses: ['L01X00T47', 'Personalausweis L01X00T470', 'Personalausweis A01X00T47', 'Ausweis LMNPRTVWX'],
  },
});

export const dePassport = defineDetector({
  id: 'de_passport',
  version: 2,
  family: 'national_id',
  countries: ['DE'],
  title: 'German passport number',
  randomMatch: 1 / 100,
  gate: { kind: 'digits', least: 4, reach: 16 },
  patterns: [{ regex: token(`[CFGHJK]${DOCUMENT_BODY}(?:\\d(?:D|<<)?)?`), context: 'unless_checksum' }],
  context: [
    ...['reisepass', 'reisepassnummer', 'passnummer', 'pass nr', 'passnr', 'passport', 'passport number'],
    ...['passport no', 'passeport', 'pasaporte', 'passaporto', 'paspoort', 'paszport', 'reisedokument'],
  ],
  judge: judgeDocument,
  confidence: { context: 0.8 },
  examples: {
    hits: ['Reisepass C01X00T47', 'C01X00T478', 'Pass-Nr.: F12345671'],
    misses: ['C01X00T47', 'Reisepass C01X00T479', 'Reisepass A01X00T47', 'Passwort CFGHJKLMN'],
  },
});

export const deDrivingLicence = defineDetector({
  id: 'de_driving_licence',
  version: 1,
  family: 'national_id',
  countries: ['DE'],
  title: 'German driving licence number',
  gate: { kind: 'digits', least: 4, reach: 16 },
  patterns: [
    { regex: token('[A-Z]{2}\\d{8}[A-Z0-9]', 'i'), context: 'optional' },
    { regex: token('[A-Z0-9]\\d{2}[A-Z0-9]{6}\\d[A-Z0-9]'), context: 'required' },
  ],
  context: [
    ...['fuhrerschein', 'fuehrerschein', 'fuhrerscheinnummer', 'fuehrerscheinnummer', 'fuhrerschein nr'],
    ...['fahrerlaubnis', 'fahrerlaubnisnummer', 'driving licence', 'driver license', 'permis de conduire'],
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['BO12345678A', 'Führerscheinnummer: J010000SD51', 'Fahrerlaubnis MU12345678B'],
    misses: ['BO12345678', 'B12345678A', 'J010000SD51', 'Fahrerlaubnis ABO12345678A'],
  },
});

/** Weights 4 and 9, ten less the remainder to ten; two digits of the specialty follow (KBV, Arztnummern). */
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
  // The first two digits are the association of doctors; there is no check digit.
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
  version: 1,
  family: 'organization',
  countries: ['DE'],
  title: 'German commercial register number',
  gate: { kind: 'literals', literals: ['HRA', 'HRB'], reach: 12 },
  patterns: [{ regex: token('HR[AB][ -]?(?:Nr\\.? )?\\d{1,6}(?: [A-Z](?![A-Za-z]))?'), context: 'optional' }],
  context: [
    ...['amtsgericht', 'handelsregister', 'handelsregisternummer', 'registergericht', 'hrb', 'hra', 'ag'],
    ...['commercial register', 'registernummer', 'gmbh'],
  ],
  confidence: { pattern: 0.6, context: 0.9 },
  examples: {
    hits: ['Amtsgericht München HRB 12345', 'HRA12345', 'Handelsregister: HRB 123456 B'],
    misses: ['HRC 12345', 'HRB 1234567', 'THRB 12345', 'HRB ABC'],
  },
});
