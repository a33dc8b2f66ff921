import validator from 'validator';
import { defineDetector, type Verdict } from './detector.ts';
import { isLuhn } from './luhn.ts';
import { compact, token } from './token.ts';

/** Issuer ranges: Mastercard, Visa, American Express, Diners, JCB, Discover, UnionPay, Maestro, Mir, RuPay. */
const ISSUER = new RegExp(
  [
    '^4(?:\\d{12}|\\d{15}|\\d{18})$',
    '^(?:5[1-5]\\d{2}|222[1-9]|22[3-9]\\d|2[3-6]\\d{2}|27[01]\\d|2720)\\d{12}$',
    '^3[47]\\d{13}$',
    '^(?:30[0-59]\\d{11}|3[689]\\d{12})$',
    '^(?:(?:2131|1800)\\d{11}|35(?:2[89]|[3-8]\\d)\\d{12})$',
    '^(?:6011|65\\d{2}|64[4-9]\\d)\\d{12}(?:\\d{3})?$',
    '^(?:62|81)\\d{14,17}$',
    '^(?:50|5[6-8]|63|67)\\d{11,17}$',
    '^220[0-4]\\d{12,15}$',
    '^(?:60|82)\\d{14}$',
  ].join('|'),
);

/** Printed in the manuals of every payment provider, so that a document that holds one is likely about testing. */
const SAMPLES = new Set(
  `4111111111111111 4242424242424242 4012888888881881 4222222222222 4000056655665556 4000000000000002
   4917610000000000 5555555555554444 5105105105105100 5200828282828210 2223003122003222 2223000048400011
   5431111111111111 378282246310005 371449635398431 378734493671000 6011111111111117 6011000990139424
   6011000000000004 30569309025904 38520000023237 36227206271667 3530111333300000 3566002020360505
   6200000000000005 6304000000000000 5019717010103742`.split(/\s+/),
);

function judge(match: string): Verdict {
  const number = compact(match);
  if (!ISSUER.test(number) || !isLuhn(number)) return 'no';
  if (SAMPLES.has(number) || /(\d)\1{9}/.test(number)) return 'sample';
  // A list of goods has thousands of these: one in ten satisfies the other algorithm too, and says nothing by that.
  return number.length <= 14 && validator.isEAN(number) ? 'shape' : 'checksum';
}

export const paymentCard = defineDetector({
  id: 'credit_card',
  version: 4,
  family: 'payment',
  title: 'Payment card number',
  randomMatch: 1 / 31,
  gate: { kind: 'digits', least: 13, reach: 24 },
  patterns: [
    // Groups of one shape each, so that a CVV or an expiry date that follows is not taken for a part of the number.
    { regex: token('\\d{4}([ \\u00a0-])\\d{4}\\1\\d{4}\\1\\d{4}(?:\\1\\d{3})?'), context: 'optional' },
    { regex: token('\\d{4}([ \\u00a0-])\\d{6}\\1\\d{4,5}'), context: 'optional' },
    // Not the number of a page in a web address.
    {
      regex: token('(?<!\\.[a-z]{2,10}/(?:[\\w.~-]{1,40}/){0,4})\\d{13,19}', 'i'),
      context: 'optional',
    },
  ],
  context: [
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
    ...['pan', 'ccn', 'cvv', 'cvc', 'expiry', 'expires', 'kreditkarte', 'kreditkartennummer', 'kartennummer'],
    ...['karte', 'gultig bis', 'carte', 'carte bancaire', 'carte de credit', 'numero de carte', 'tarjeta'],
    ...[
      'tarjeta de credito',
      'carta',
      'carta di credito',
      'cartao',
      'cartao de credito',
      'kaart',
      'creditcard',
    ],
    ...['kaartnummer', 'karta', 'karty', 'numer karty'],
  ],
  judge,
  examples: {
    hits: [
      'Please charge card 4539 1488 0343 6467, CVV 123',
      '4485360473893059',
      'amex 3742-453554-00127',
      'Kreditkarte: 5425-2334-3010-9903.',
      'id,4716424521511864,12/27',
      'the manual says 4111 1111 1111 1111',
    ],
    misses: [
      '4539148803436468',
      '14539148803436467',
      '4539148803436467.25',
      'order 1234567812345670',
      'a4539148803436467',
      '4539 1488-0343 6467',
      'https://www.example.com/help/4539148803436467',
    ],
  },
});
