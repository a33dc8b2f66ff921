import validator from 'validator';
import { isLuhn } from '../checks/luhn.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/**
 * Issuer ranges: Mastercard, Visa, American Express, Diners, JCB, Discover, UnionPay, Maestro, Mir, RuPay. A number
 * in these ranges needs no context word. Shorter numbers and those of smaller schemes do.
 */
const ISSUED = [
  '4(?:\\d{12}|\\d{15}|\\d{18})',
  '(?:5[1-5]\\d{2}|222[1-9]|22[3-9]\\d|2[3-6]\\d{2}|27[01]\\d|2720)\\d{12}',
  '3[47]\\d{13}',
  '(?:30[0-59]\\d{11}|3[689]\\d{12})',
  '(?:(?:2131|1800)\\d{11}|35(?:2[89]|[3-8]\\d)\\d{12})',
  '(?:6011|65\\d{2}|64[4-9]\\d)\\d{12}(?:\\d{3})?',
  '(?:62|81)\\d{14,17}',
  '(?:50|5[6-8]|63|67)\\d{11,17}',
  '220[0-4]\\d{12,15}',
  '(?:60|82)\\d{14}',
].join('|');
/**
 * Includes airline cards (UATP). They have as many digits as mobile device numbers and often begin with the same
 * digits.
 */
const ISSUER = new RegExp(`^(?:${ISSUED}|1\\d{14})$`);
/** Telecommunication and health (ISO/IEC 7812, major industry 8), except the ranges of UnionPay and RuPay. */
const OTHER_INDUSTRY = /^8[03-9]/;
/**
 * Few schemes use these lengths, and all of them are listed above. Device numbers and national ids of many countries
 * use them too.
 */
const FEW_SCHEMES = [13, 14, 15];

/** Numbers from the manuals of payment providers. A document that contains one is probably about testing. */
const SAMPLES = new Set(
  `4111111111111111 4242424242424242 4012888888881881 4222222222222 4000056655665556 4000000000000002
   4917610000000000 5555555555554444 5105105105105100 5200828282828210 2223003122003222 2223000048400011
   5431111111111111 378282246310005 371449635398431 378734493671000 6011111111111117 6011000990139424
   6011000000000004 30569309025904 38520000023237 36227206271667 3530111333300000 3566002020360505
   6200000000000005 6304000000000000 5019717010103742`.split(/\s+/),
);

/** The first digits of the large schemes with 16 or more digits. */
const LARGE = '[4-6]|2[2-7]|35|8[12]';
/** In groups of four, as most cards show it. */
const FOURS = '\\d{4}([ .\\u00a0\\u202f-])\\d{4}\\1\\d{4}\\1\\d{4}';
/** Not the number of a page in a web address. */
const NOT_IN_AN_ADDRESS = '(?<!\\.[a-z]{2,10}/(?:[\\w.~-]{1,40}/){0,4})';

function judge(match: string): Verdict {
  const number = compact(match);
  if (OTHER_INDUSTRY.test(number) || !isLuhn(number)) return 'no';
  if (SAMPLES.has(number) || /(\d)\1{9}/.test(number)) return 'sample';
  // One in ten article numbers (EAN) also passes Luhn, and a list of goods has thousands of them, so the checksum
  // means nothing.
  if (number.length <= 14 && validator.isEAN(number)) return 'shape';
  return ISSUER.test(number) || !FEW_SCHEMES.includes(number.length) ? 'checksum' : 'shape';
}

export const paymentCard = defineDetector({
  id: 'credit_card',
  version: 5,
  family: 'payment',
  title: 'Payment card number',
  randomMatch: 1 / 26,
  gate: { kind: 'digits', least: 12, reach: 24 },
  patterns: [
    // One pattern per grouping, so that a CVV or expiry date that follows is not read as part of the number.
    { regex: token(`(?=${LARGE})${FOURS}`), context: 'optional' },
    { regex: token(`(?=${LARGE})${FOURS}\\1\\d{3}`), context: 'optional' },
    { regex: token('(?=3[046-9]|2131|1800)\\d{4}([ \\u00a0-])\\d{6}\\1\\d{4,5}'), context: 'optional' },
    { regex: token(`${NOT_IN_AN_ADDRESS}(?:${ISSUED})`, 'i'), context: 'optional' },
    // Any issuer: in groups of four, as airlines (UATP) and UnionPay print them, and without groups.
    { regex: token(`(?!${LARGE})${FOURS}`), context: 'required' },
    { regex: token(`${FOURS}\\1\\d{1,3}`), context: 'required' },
    {
      regex: token('(?<!\\d[ \\u00a0\\u202f])\\d{4}([ .\\u00a0\\u202f-])\\d{4}\\1\\d{4}(?!\\1\\d{4}(?!\\d))'),
      context: 'required',
    },
    {
      regex: token(
        '\\d{4}([ .\\u00a0\\u202f-])(?:\\d{5}\\1\\d{6}|\\d{6}\\1\\d{4,5})|\\d{6}[ \\u00a0-]\\d{13}',
      ),
      context: 'required',
    },
    {
      regex: token(
        `${NOT_IN_AN_ADDRESS}(?!(?:${ISSUED})(?!\\d))(?:[0-36-9]\\d{11,18}|5[06-9]\\d{10,17}|5[1-5](?:\\d{10,13}|\\d{15,17})|4(?:\\d{11}|\\d{13,14}|\\d{16,17}))`,
        'i',
      ),
      context: 'required',
    },
  ],
  context: [
    ...[
      '信用卡',
      '卡号',
      'カード番号',
      'クレジットカード',
      '카드번호',
      '신용카드',
      'карта',
      'номер карты',
      'καρτα',
    ],
    ...[
      'card',
      'cards',
      'credit',
      'debit',
      'visa',
      'mastercard',
      'amex',
      'american express',
      'maestro',
      'cc',
    ],
    ...[
      'pan',
      'ccn',
      'cvv',
      'cvc',
      'expiry',
      'expires',
      'cardholder',
      'card number',
      'diners',
      'diners club',
    ],
    ...['jcb', 'unionpay', 'rupay', 'uatp', 'creditcard', 'cartes', 'bancontact', 'girocard', 'dankort'],
    ...[
      'kreditkarte',
      'kreditkarten',
      'kreditkartennummer',
      'kartennummer',
      'kartennr',
      'karte',
      'debitkarte',
    ],
    ...[
      'bankkarte',
      'ec karte',
      'gultig bis',
      'carte',
      'carte bancaire',
      'carte de credit',
      'numero de carte',
    ],
    ...[
      'tarjeta',
      'tarjetas',
      'tarjeta de credito',
      'carta',
      'carta di credito',
      'cartao',
      'cartao de credito',
    ],
    ...['kaart', 'kaartnummer', 'karta', 'karty', 'kartu', 'numer karty', 'kart', 'kredi karti', 'kort'],
    ...['kortnummer', 'kreditkort', 'kredittkort', 'betalkort', 'betalingskort', 'luottokortti', 'kortti'],
    ...['bankkartya', 'kartya', 'kreditna kartica', 'kartica', 'cislo karty', 'numarul cardului', 'cardul'],
  ],
  judge,
  examples: {
    hits: [
      'カード番号: 675918273649',
      'Please charge card 4539 1488 0343 6467, CVV 123',
      '4485360473893059',
      'amex 3742-453554-00127',
      'Kreditkarte: 5425-2334-3010-9903.',
      'id,4716424521511864,12/27',
      'the manual says 4111 1111 1111 1111',
      'Maestro 675918273649',
      'Maestro card 6759 1827 3649',
      'kart no 9792.0318.4756.2939',
      'UATP 1220-00182-736457',
      'card 502018273645192830',
      'card 4539 1488 0343 6467 124 12/27',
      'tarjeta 626202 9182736451926',
    ],
    misses: [
      '4539148803436468',
      '14539148803436467',
      '4539148803436467.25',
      'order 1234567812345670',
      'a4539148803436467',
      '4539 1488-0343 6467',
      'https://www.example.com/help/4539148803436467',
      '675918273649',
      '9792031847562939',
      'card 675918273640',
      'card 6759 1827 3649 1111',
      'SIM card 8949123000018273641',
    ],
  },
});
