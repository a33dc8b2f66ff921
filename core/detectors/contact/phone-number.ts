import { isIPv4 } from 'node:net';
import { loadBeside } from '../../kernel/module-beside.ts';
import { LETTERS_BEYOND_ASCII, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';
import { NO_AMOUNT, NO_THING } from '../engine/other-numbers.ts';
import type * as Phones from '../libraries/libphonenumber.ts';

const SEPARATOR = '[ .()/\\u00a0\\u202f\\u2010-\\u2013-]{1,3}';
const LETTER = `[A-Za-z_${LETTERS_BEYOND_ASCII}]`;
/** The groups of a number are not beside one that is part of a word. */
const WHOLE_BEFORE = `(?<!${LETTER}\\d{1,6}${SEPARATOR})`;
const WHOLE_AFTER = `(?!${SEPARATOR}\\d{1,12}${LETTER})`;
/** A bracket that closes after the area code. */
const BRACKET = '(?:\\((?=\\d[\\d ]{0,7}\\)))?';
const EXTENSION = '(?: ?(?:x|ext\\.? ?)\\d{1,6})?';
/** Dates and what follows them, two years, a year and a number, US social security numbers, ZIP codes and payment cards. */
const SOMETHING_ELSE =
  /^(?:(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{2}|\d{4}))(?: .*)?|(?:19|20)\d{2}(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])| ?[-/\u2013] ?(?:19|20)\d{2}|[-/]\d{3})|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d{2}|[1-9]\d{4}-\d{4}|\d{3}-\d{2}-\d{4}|\d{4}[ -]\d{4}[ -]\d{4}.*)$/;
/** Six digits as some small countries write them, unless the pairs can be day, month and year. */
const PAIRS = /^(?:3[2-9]|[4-9]\d) \d{2} \d{2}$|^[23]\d (?:1[3-9]|[2-9]\d) \d{2}$/;

/**
 * A version such as `16.0.17328.20162`. Telephone numbers with dots have a single middle digit only after a leading
 * zero.
 */
const VERSION = /^[1-9]\d*\.\d\.\d+\.\d+$/;

let known: { library: typeof Phones; lengths: ReadonlyMap<string, ReadonlySet<number>> } | undefined;

/**
 * The possible lengths of the number after each calling code, over all countries that share the code. The library has
 * a hundred files. It is loaded on first use, because a process without scans does not need it.
 */
function numberingPlans() {
  if (known !== undefined) return known;
  const library = loadBeside<typeof Phones>('../libraries/libphonenumber', import.meta.url);
  const lengths = new Map<string, Set<number>>();
  const metadata = new library.Metadata();
  for (const country of library.getCountries()) {
    metadata.selectNumberingPlan(country);
    const code = library.getCountryCallingCode(country);
    const possible = lengths.get(code) ?? new Set();
    for (const length of metadata.numberingPlan?.possibleLengths() ?? []) possible.add(length);
    lengths.set(code, possible);
  }
  known = { library, lengths };
  return known;
}

/**
 * Whether this many digits can follow the calling code. No code is a prefix of another.
 * The library is a hundred times slower, so it only checks codes without a country, such as 800.
 */
function isPossible(digits: string): boolean {
  const plans = numberingPlans();
  for (let length = 1; length <= 3; length++) {
    const lengths = plans.lengths.get(digits.slice(0, length));
    if (lengths !== undefined) return lengths.has(digits.length - length);
  }
  return plans.library.validatePhoneNumberLength(`+${digits}`) === undefined;
}

/** Whether the first groups form a number. Digits that follow a number can look like part of it. */
function beginsWithNumber(international: string): boolean {
  const written = international.replace('(0)', ' ');
  if (isPossible(written.replace(/\D/g, ''))) return true;
  const groups = written.match(/\d{1,15}/g) ?? [];
  return groups.slice(1).some((_, i) => isPossible(groups.slice(0, i + 1).join('')));
}

/** ITU-T E.164 allows fifteen digits. Fewer than seven are a short code or a year, except in a few countries. */
function judge(match: string): Verdict {
  if (SOMETHING_ELSE.test(match) || (match.includes('.') && (VERSION.test(match) || isIPv4(match))))
    return 'no';
  const number = /[A-Za-z]/.test(match) ? match.replace(/ ?(?:x|ext).*$/i, '') : match;
  const digits = number.replace(/\D/g, '');
  if (digits.length > 20 || /^(\d)\1{5}/.test(digits)) return 'no';
  if (digits.length < 7) return PAIRS.test(number) ? 'shape' : 'no';
  const prefix = /^(?:\+|00)/.exec(number)?.[0];
  if (prefix !== undefined && !beginsWithNumber(number.slice(prefix.length))) return 'no';
  if (prefix === undefined && digits.length > 15) return 'no';
  return /555-?01\d{2}$/.test(match) ? 'sample' : 'shape';
}

export const phoneNumber = defineDetector({
  id: 'phone_number',
  version: 7,
  family: 'contact',
  title: 'Telephone number',
  gate: { kind: 'digits', least: 6, reach: 60 },
  patterns: [
    { regex: token(`\\+ ?[1-9]\\d{0,14}(?:${SEPARATOR}\\d{1,12}){0,6}${EXTENSION}`), context: 'optional' },
    { regex: token(`00[1-9]\\d{0,2}(?:${SEPARATOR}\\d{1,12}){1,6}`), context: 'required' },
    // North America.
    {
      regex: token(`(?:1[-. ])?\\([2-9]\\d{2}\\) ?[2-9]\\d{2}[-. ]\\d{4}${EXTENSION}`, 'i'),
      context: 'optional',
    },
    {
      regex: token(`(?:(?:00)?1[-.])?[2-9]\\d{2}([-.])[2-9]\\d{2}\\1\\d{4}${EXTENSION}`, 'i'),
      context: 'optional',
    },
    // Other countries, in the notations that people use.
    {
      regex: token(
        `${NO_THING}${WHOLE_BEFORE}(?<!\\+)${BRACKET}\\d{1,6}(?:${SEPARATOR}\\d{2,8}){1,5}${EXTENSION}${WHOLE_AFTER}${NO_AMOUNT}`,
        'i',
      ),
      context: 'required',
    },
    // A group of one digit after the area code is part of mobile numbers in Brazil, and the area code of Budapest.
    {
      regex: token(
        `${WHOLE_BEFORE}(?<!\\+)${BRACKET}(?:0 ?)?\\d{2,3}${SEPARATOR}\\d(?:${SEPARATOR}\\d{3,5}){2}${EXTENSION}${WHOLE_AFTER}`,
        'i',
      ),
      context: 'required',
    },
    {
      regex: token(`${NO_THING}(?:0\\d{8,11}|[2-9]\\d{9})${EXTENSION}${NO_AMOUNT}`, 'i'),
      context: 'required',
    },
    // Numbers in plans without a trunk prefix: eight or nine digits, and eleven digits that begin with 1, 7 or 8 or
    // are Brazilian mobile numbers.
    {
      regex: token(`${NO_THING}(?:[2-9]\\d{7,8}|1[2-9]\\d{9}|[78]\\d{10}|[1-9]{2}9\\d{8})${NO_AMOUNT}`, 'i'),
      context: 'required',
    },
  ],
  context: [
    ...[
      '电话',
      '手机',
      '手机号',
      '电话号码',
      '電話',
      '電話番号',
      '携帯',
      '携帯電話',
      '전화',
      '전화번호',
      '휴대폰',
      '휴대전화',
      '핸드폰',
      '연락처',
      'โทร',
      'โทรศัพท์',
      'มือถือ',
      'मोबाइल',
      'फ़ोन',
      'दूरभाष',
      'телефон',
      'мобилен',
      'τηλεφωνο',
      'κινητο',
      'טלפון',
      'נייד',
      'هاتف',
    ],
    ...[
      'phone',
      'phones',
      'telephone',
      'tel',
      'mobile',
      'cell',
      'cellphone',
      'call',
      'calls',
      'calling',
      'dial',
    ],
    ...[
      'fax',
      'hotline',
      'office',
      'whatsapp',
      'sms',
      'text me',
      'answering',
      'reach',
      'ring',
      'phone number',
    ],
    ...['telefon', 'telefonnummer', 'telefonnr', 'handy', 'handynummer', 'mobil', 'mobilnummer', 'rufnummer'],
    ...['durchwahl', 'telefax', 'portable', 'appelez', 'telefono', 'movil', 'celular', 'llamar', 'cellulare'],
    ...['chiamare', 'telefone', 'telemovel', 'ligar', 'telefoon', 'telefoonnummer', 'mobiel', 'bellen'],
    ...['cep', 'telefonu', 'gsm', 'tlf', 'komorka', 'komorkowy', 'numer telefonu', 'zadzwon', 'kom'],
    ...['tel no', 'telnr', 'mob', 'ph no', 'contact number', 'landline', 'voicemail', 'pager', 'viber'],
    ...[
      'telefono fijo',
      'numero de telefono',
      'llame',
      'llama',
      'llamame',
      'llamenos',
      'marcar',
      'contact me',
      'contact us',
    ],
    ...[
      'joindre',
      'rappeler',
      'numero de telephone',
      'anrufen',
      'anruf',
      'ruckruf',
      'rufen sie',
      'ruf mich',
      'erreichen sie',
      'erreichbar',
      'mobiltelefon',
      'festnetz',
    ],
    ...[
      'chiamami',
      'chiami',
      'telefonare',
      'ligue',
      'telefone celular',
      'bel',
      'bellen naar',
      'puh',
      'puhelin',
    ],
    ...[
      'puhelinnumero',
      'matkapuhelin',
      'soita',
      'ring til',
      'ringa',
      'telefonszam',
      'mobilszam',
      'telefonni',
    ],
    ...[
      'telefonni cislo',
      'telefonne cislo',
      'volejte',
      'zavolejte',
      'volajte',
      'mobilni',
      'mobitel',
      'telefonski',
    ],
    ...['broj telefona', 'telefonas', 'telefons', 'talrunis', 'telefoninumber', 'numar de telefon', 'sunati'],
    ...[
      'telepon',
      'nomor telepon',
      'nombor telefon',
      'hubungi',
      'dien thoai',
      'so dien thoai',
      'tawagan',
      'arayin',
    ],
  ],
  judge,
  confidence: { pattern: 0.6, context: 0.85 },
  examples: {
    hits: [
      '電話番号: 03-4719-2831',
      '携帯 090-4821-7735',
      '客户电话13912345678',
      '연락처 010-4821-7735',
      'โทร 081-234-5678',
      'फ़ोन: 98765 43210',
      '電話番号：０３－４７１９－２８３１',
      '+49 (0) 30 901820',
      '+14155552671',
      '(978) 645-9740 x11144',
      '833.719.3994x1887',
      'Tel. 030 / 901820-14',
      'call 06-24312407',
      'Telefon: 0170 1234567',
      'You can call 73 448 266',
      'ring 92 34 70',
      'téléphone 01 42 68 53 00',
      '+800 1234 5678',
      '+14155552671 2 copies',
      'cep telefonu 532.123.45.67',
      'ligue (11) 9 8231-4719',
      'telefonszám 06-1-471-9283',
      'Tlf. 22471928',
      'teléfono 612471928',
      'mobile 13847192835',
      'tel. 0301234719 ext 12',
      'puh. 040 4719283',
      '001-415-471-9283x12',
      'Rufen Sie mich an unter 0711 1234567',
      'Auftrag vom Mai, Telefon 0711 1234567',
      'please call our customer 0171 2345678',
    ],
    misses: [
      '73 448 266',
      '商品13912345678',
      'call me on 2024-05-17',
      'phone 12.05.2024',
      'fax 10.0.0.1',
      'phone model 1234',
      '+1 2',
      'SSN phone 308-63-0237',
      '+999 12345678',
      '+1 415 555',
      'call 12 05 24',
      'call 20240517',
      'fax 17052024',
      '22471928',
      'Adresse 22471928',
      '(11) 9 8231-4719',
      'office 2019-2020',
      'office opinion 2018-031',
      'Austin 78701-3281; phone',
      'call back about order 4500123456',
      'Telefon fehlt, Kundennr. 987654321',
      'the office paid 98765432 EUR',
      'Office 16.0.17328.20162',
    ],
  },
});
