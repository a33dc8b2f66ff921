import { weigh } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

/** ABA: the first two digits identify a Federal Reserve district. The sum with weights 3, 7, 1 is a multiple of ten. */
const isRoutingNumber = (digits: string): boolean =>
  /^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/.test(digits) &&
  !/^(\d)\1+$/.test(digits) &&
  weigh(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0;

export const usRoutingNumber = defineDetector({
  id: 'us_routing_number',
  version: 2,
  family: 'bank',
  countries: ['US'],
  title: 'US bank routing number (ABA)',
  randomMatch: 1 / 26,
  gate: { kind: 'digits', least: 9, reach: 14 },
  patterns: [{ regex: token('\\d{9}|\\d{4}-\\d{4}-\\d'), context: 'optional' }],
  context: [
    ...[
      'routing',
      'routing number',
      'aba',
      'aba number',
      'rtn',
      'bank',
      'ach',
      'wire',
      'fedwire',
      'bank account',
    ],
    ...['direct deposit', 'transit number'],
  ],
  judge: (match) => (isRoutingNumber(compact(match)) ? 'checksum' : 'no'),
  examples: {
    hits: ['routing number 121042882', 'ABA 3222-7162-7', 'wire,021000021'],
    misses: ['routing 121042883', 'routing 1210428820', 'aba 000000000', 'routing 521042887'],
  },
});

/** The check digit cannot be verified without the tables of the banks, so both numbers and their names are required. */
export const ukBankAccount = defineDetector({
  id: 'uk_bank_account',
  version: 2,
  family: 'bank',
  countries: ['GB'],
  title: 'UK sort code and account number',
  gate: { kind: 'digits', least: 6, reach: 60 },
  patterns: [
    { regex: token('\\d{2}([- ])\\d{2}\\1\\d{2}[ ,;/|\\t]{1,4}\\d{8}'), context: 'required' },
    // Without separators it can be many things, so its name must stand directly before it.
    { regex: token('(?<=sort ?code[ :#]{1,3})\\d{6}[ ,;/|\\t]{1,4}\\d{8}', 'i'), context: 'required' },
    {
      regex: token(
        '\\d{2}([- ]?)\\d{2}\\1\\d{2}[ ,;/|\\t\\n]{1,4}(?:account|acc|a/c)(?: ?(?:number|no))?[.:# ]{1,4}\\d{8}',
        'i',
      ),
      context: 'required',
    },
  ],
  context: ['sort code', 'sortcode', 'sort', 'account', 'bacs', 'bank', 'account number', 'faster payments'],
  confidence: { context: 0.85 },
  examples: {
    hits: [
      'Sort code 20-45-71 31926819',
      'sort code: 20 45 71, account no: 31926819',
      'bank 20-45-71/31926819',
      'sort code 204571 31926819',
    ],
    misses: [
      '20-45-71 31926819',
      'sort code 20-45-71',
      'sort code 20-45 71 31926819',
      'bank 2045713192681912',
      '204571 31926819',
      'account 204571,20240517',
    ],
  },
});

export const auBankAccount = defineDetector({
  id: 'au_bank_account',
  version: 1,
  family: 'bank',
  countries: ['AU'],
  title: 'Australian BSB and account number',
  gate: { kind: 'digits', least: 6, reach: 60 },
  patterns: [
    {
      regex: token(
        '\\d{3}-?\\d{3}[ ,;/|\\t\\n]{1,4}(?:(?:account|acc|a/c)(?: ?(?:number|no))?[.:# ]{1,4})?\\d{5,9}',
        'i',
      ),
      context: 'required',
    },
  ],
  context: ['bsb', 'bsb number', 'bank state branch'],
  confidence: { context: 0.85 },
  examples: {
    hits: ['BSB 062-903 10182746', 'bsb: 732003, account number: 581204', 'BSB,063-019 12345678'],
    misses: ['062-903 10182746', 'bank 062-903 10182746', 'bsb 062-903', 'bsb 06-2903 1018'],
  },
});

/** An account number is just digits, so the words before it must say what it is. */
export const bankAccountNumber = defineDetector({
  id: 'bank_account_number',
  version: 3,
  family: 'bank',
  title: 'Bank account number',
  gate: { kind: 'digits', least: 6, reach: 40 },
  patterns: [
    {
      regex:
        /(?<=[A-Za-z.:#= \t])(?<=(?<![A-Za-z])(?:account (?:number|no\.?)|acct\.?(?: no\.?)?|bank account|kontonummer|konto-?nr\.?|numéro de compte|número de cuenta|numero di conto|número da conta|rekeningnummer|numer konta|numer rachunku)[ \t]{0,2}[:#=]?[ \t]{0,2})\d(?:[ -]?\d){5,16}(?![\dA-Za-z-])/gi,
      context: 'optional',
    },
    // In a column with such a header, or near such a word.
    { regex: token('\\d{8,17}'), context: 'required' },
  ],
  context: [
    ...['账号', '银行账号', '口座番号', '계좌번호', 'номер счета'],
    ...['bank account', 'bank', 'account number', 'account no', 'acct', 'acct no', 'blz', 'bankleitzahl'],
    ...[
      'konto',
      'kontonummer',
      'banque',
      'banco',
      'banca',
      'cuenta bancaria',
      'rekeningnummer',
      'numer konta',
    ],
  ],
  confidence: { pattern: 0.5, context: 0.7 },
  examples: {
    hits: [
      '口座番号 94545678',
      'Account number: 945456787654',
      'Kontonummer 532013000 BLZ 37040044',
      'acct no. 0012-3456-78',
      'Bank: 945456787654',
    ],
    misses: ['account 12', 'the account of 1234567', 'account number: AB-1234567', 'Kontonummer 12345'],
  },
});
