import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';
import { hasIbanForm, isIban } from './iban-form.ts';
import { IBAN_SAMPLES } from './iban-samples.ts';

/** People also write IBANs in small letters. A grouped match in mixed case is probably words. */
const isOfOneCase = (match: string): boolean =>
  !/[ -]/.test(match) || !(/[a-z]/.test(match) && /[A-Z]/.test(match));

/** Between two groups. A line of text may end there, once. */
const BETWEEN = '(?:[ \\u00a0\\u202f\\n-]|\\r\\n)';
const isOnTwoLines = (match: string): boolean => match.indexOf('\n') === match.lastIndexOf('\n');

function judge(match: string): Verdict {
  const number = compact(match);
  if (!isIban(number) || !isOfOneCase(match) || !isOnTwoLines(match)) return 'no';
  return IBAN_SAMPLES.has(number) ? 'sample' : 'checksum';
}

/** Directly behind its label, a number with wrong check digits is an IBAN with a slip of the pen. */
const LABEL = '(?<=(?<![A-Za-z])iban(?:[ -]?(?:no|nr|number|nummer|code))?[^A-Za-z0-9\\n]{1,6})';

function judgeLabelled(match: string): Verdict {
  const verdict = judge(match);
  return verdict === 'no' && hasIbanForm(compact(match)) && isOfOneCase(match) ? 'shape' : verdict;
}

export const iban = defineDetector({
  id: 'iban',
  version: 6,
  family: 'bank',
  title: 'International bank account number',
  randomMatch: 1 / 10_000,
  gate: { kind: 'digits', least: 5, reach: 48 },
  patterns: [
    { regex: token('[A-Z]{2}\\d{2}[A-Z0-9]{11,30}', 'i'), context: 'optional' },
    // Groups of four and a shorter rest. There is one alternative per number of full groups, because the following
    // text can look like another group.
    ...[7, 6, 5, 4, 3, 2].flatMap((groups) => [
      {
        regex: token(`[A-Z]{2}\\d{2}(?:${BETWEEN}[A-Z0-9]{4}){${groups}}${BETWEEN}[A-Z0-9]{1,3}`, 'i'),
        context: 'optional' as const,
      },
      {
        regex: token(`[A-Z]{2}\\d{2}(?:${BETWEEN}[A-Z0-9]{4}){${groups + 1}}`, 'i'),
        context: 'optional' as const,
      },
    ]),
    {
      regex: token(
        `${LABEL}[A-Z]{2}\\d{2}(?:[A-Z0-9]{11,30}|(?:[ -][A-Z0-9]{4}){2,7}(?:[ -][A-Z0-9]{1,4})?)`,
        'i',
      ),
      context: 'required',
      judge: judgeLabelled,
    },
  ],
  context: [
    ...[
      'iban',
      'bank',
      'account',
      'account number',
      'bank account',
      'wire',
      'transfer',
      'payee',
      'beneficiary',
    ],
    ...['konto', 'kontonummer', 'bankverbindung', 'uberweisung', 'kontoinhaber', 'compte', 'virement', 'rib'],
    ...[
      'banque',
      'cuenta',
      'cuenta bancaria',
      'transferencia',
      'banco',
      'conto',
      'conto corrente',
      'bonifico',
    ],
    ...['conta', 'conta bancaria', 'rekening', 'rekeningnummer', 'rachunek', 'numer rachunku', 'przelew'],
  ],
  judge,
  // Behind its label, with wrong check digits.
  confidence: { context: 0.3 },
  examples: {
    hits: [
      'IBAN DE89 3704 0044 0532 0130 00',
      'GB29NWBK60161331926819',
      'my iban is gb69pmnj18913943430745',
      'NL91 ABNA 0417 1643 00 THEN PAY',
      'FR14-2004-1010-0505-0001-3M02-606',
      'auf\nDE98 3704 0044 0927\n3155 80',
      'DE98 3704 0044 0927 3155\r\n80 bis Freitag',
      'MT84MALT011000012345MTLCAST001S',
      'MN59 4719 2830 4719 2830',
      'FK36SC471928304719',
      'OM330474719283047192830',
      'NI32BAMC47192830471928304719',
      'RU5404719283047192830471928304719',
      'iban gb69 pmnj 1891 3943 4307 45 please',
    ],
    misses: [
      'DE88 3704 0044 0532 0130 00',
      'the account DE88 3704 0044 0532 0130 00',
      'IBAN: DE88 3704 0044 0532 0130',
      'XX89370400440532013000',
      'GB29NWBK60161331926819123',
      'ADE89370400440532013000',
      'GB69 Pmnj 1891 3943 4307 45',
      'DE98\n3704\n0044\n0927\n3155\n80',
    ],
  },
});
