import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** Weights 7, 3, 1 over digits and letters (A = 10), as in machine-readable travel documents (ICAO Doc 9303). */
function documentCheckDigit(document: string): number {
  let sum = 0;
  for (let i = 0; i < document.length; i++)
    sum += Number.parseInt(document[i] ?? '0', 36) * ([7, 3, 1][i % 3] ?? 0);
  return sum % 10;
}

const ends = (field: string): boolean => documentCheckDigit(field.slice(0, -1)) === Number(field.at(-1));

/**
 * Current numbers have nine characters, and their check digit is only in the machine-readable zone. Cards before 2010
 * and passports before 2007 have nine digits and a check digit. Provisional and children's documents have a letter
 * and seven digits without a check digit.
 */
function judge(match: string): Verdict {
  const number = compact(match);
  if (number.length === 8) return 'shape';
  if (!/\d/.test(number.slice(0, 9)) || /^(\d)\1{8}/.test(number)) return 'no';
  if (number.length === 9) return 'shape';
  return ends(number.slice(0, 10)) && datesHold(number.slice(11)) ? 'checksum' : 'no';
}

/** After the country: birth date, sex or not, and expiry date. Each date has a check digit, and more may follow. */
function datesHold(rest: string): boolean {
  const [birth, expiry] = rest.match(/\d{7}/g) ?? [];
  return (birth === undefined || ends(birth)) && (expiry === undefined || ends(expiry));
}

/** Digits, and letters that are not confused with others and form no words (annexes of PAuswV and PassV). */
const BODY = '[0-9CFGHJKLMNPRTVWXYZ]{8}';
const CHECKED = '(?:\\d(?:D|<<)?)?';
const OLDER = '\\d{10}';
/** Numbers of other countries look the same, so a German word must stand directly before them. */
const behind = (...words: readonly string[]) =>
  `(?<=(?:${words.join('|')})(?:[ -]?(?:nr|nummer))?[ .:#]{1,3})`;
const PROVISIONAL = '[A-Z]\\d{7}';

export const deIdCard = defineDetector({
  id: 'de_id_card',
  version: 2,
  family: 'national_id',
  countries: ['DE'],
  title: 'German identity card number',
  randomMatch: 1 / 25,
  gate: { kind: 'digits', least: 4, reach: 16 },
  patterns: [
    { regex: token(`[LMNPRTVWXY]${BODY}${CHECKED}`), context: 'unless_checksum' },
    { regex: token(`[LMNPRTVWXY]${BODY}${CHECKED}`, 'i'), context: 'required' },
    // Older cards use the machine-readable line as their number, and people copy it.
    {
      regex: token(`${OLDER}D[< ]{1,3}\\d{7}[< ]{1,2}\\d{7}(?:[< ]{1,12}\\d)?`),
      context: 'unless_checksum',
    },
    { regex: token(`${OLDER}D`, 'i'), context: 'required' },
    { regex: token(`${behind('ausweis', 'perso')}(?:${OLDER}|${PROVISIONAL})`, 'i'), context: 'required' },
  ],
  context: [
    ...['personalausweis', 'personalausweisnummer', 'ausweis', 'ausweisnummer', 'ausweisnr', 'ausweis nr'],
    ...['perso', 'identity card', 'id card', 'carte d identite', 'serienummer', 'dokumentennummer'],
    ...['seriennummer', 'personalausweis nr', 'personalausweisnr', 'perso nr', 'ausweisdokument', 'npa'],
  ],
  judge,
  confidence: { context: 0.8 },
  examples: {
    hits: [
      'Personalausweis L01X00T47',
      'L01X00T471',
      'Ausweisnummer: T220001293',
      'IDD<<T220001293<<<<<<<<<<<<<<<',
      'perso l01x00t471',
      '2047182932D<<8507158<0812319<<<<<<0',
      'Ausweisnummer 2047182932D 8507158 0812319 0',
      'perso 2047182932',
      'vorläufiger Personalausweis B4829173',
      'Ausweis-Nr.: B4829173',
    ],
    misses: [
      'L01X00T47',
      'l01x00t471',
      '2047182932',
      'Personalausweis L01X00T470',
      'Personalausweis A01X00T47',
      'Ausweis LMNPRTVWX',
      'perso 2047182933',
      '2047182932D<<8507159<0812319<<<<<<0',
      'B4829173',
      'identity card B4829173',
      'identity card 2047182932',
    ],
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
  patterns: [
    { regex: token(`[CFGHJK]${BODY}${CHECKED}`), context: 'unless_checksum' },
    { regex: token(`[CFGHJK]${BODY}${CHECKED}`, 'i'), context: 'required' },
    // The second line of a passport's data page, with the sex between birth and expiry, or only its beginning.
    {
      regex: token(`(?:[CFGHJK]${BODY}\\d|${OLDER})D<<\\d{7}[MFX<]\\d{7}`),
      context: 'unless_checksum',
    },
    { regex: token(`${OLDER}(?:D|<<)`, 'i'), context: 'required' },
    {
      regex: token(
        `${behind('reisepass', 'kinderausweis', 'pass[ -]?(?:nr|nummer)')}(?:${OLDER}|${PROVISIONAL})`,
        'i',
      ),
      context: 'required',
    },
  ],
  context: [
    ...['reisepass', 'reisepassnummer', 'passnummer', 'pass nr', 'passnr', 'passport', 'passport number'],
    ...['passport no', 'passeport', 'pasaporte', 'passaporto', 'paspoort', 'paszport', 'reisedokument'],
    ...[
      'kinderreisepass',
      'kinderausweis',
      'reisepass nr',
      'dienstpass',
      'diplomatenpass',
      'vorlaufiger reisepass',
    ],
  ],
  judge,
  confidence: { context: 0.8 },
  examples: {
    hits: [
      'Reisepass C01X00T47',
      'C01X00T478',
      'Pass-Nr.: F12345671',
      'reisepass c01x00t478',
      'C01X00T478D<<8507158F0812319<<<<<<<<<<<<<<<4',
      'Reisepass 4381729466D',
      'Kinderreisepass E4829173',
      'Reisepassnummer e4829173',
    ],
    misses: [
      'C01X00T47',
      'c01x00t478',
      'Reisepass C01X00T479',
      'Reisepass A01X00T47',
      'Passwort CFGHJKLMN',
      'Reisepass 4381729467D',
      'E4829173',
      'passport E4829173',
      'passport 4381729466',
    ],
  },
});
