import { defineDetector, type Find, type Reading } from '../detector.ts';
import { valuesInColumns } from '../engine/column-values.ts';

const LABEL =
  'cvv2?|cvc2?|cvn|cid|card verification (?:code|value|number)|security code|kartenprüfnummer|prüfziffer|cryptogramme|código de seguridad|codice di sicurezza';
/** Directly before the code. */
const LABELLED = new RegExp(
  `(?<=(?<![A-Za-z])(?:${LABEL})[ \\t]{0,2}(?:is|ist|est|es|:|=|#)?[ \\t]{0,2})\\d{3,4}(?![\\dA-Za-z])`,
  'gi',
);
/** `CID` and `security code` alone are the name of anything. */
const HEADER =
  /^(?:(?:card|credit ?card|cc)[ _-]?)?(?:cvv2?|cvc2?|cvn2?|card[ _-]?verification[ _-]?(?:code|value|number)|kartenprüfnummer|cryptogramme)(?:[ _-]?(?:code|number|nr|no|2))?$|^(?:card|cc)[ _-]?(?:cid|security[ _-]?code)$/i;
const CELL = /(?<![^\t;|,"\r\n ])\d{3,4}(?![^\t;|,"\r\n ])/g;

function* find(reading: Reading, windows: readonly number[]): Generator<Find> {
  const found: Find[] = [];
  for (let i = 0; i + 1 < windows.length; i += 2) {
    const [from = 0, to = 0] = windows.slice(i, i + 2);
    for (const match of reading.text.slice(from, to).matchAll(LABELLED)) {
      const start = from + match.index;
      found.push({ start, end: start + match[0].length, verdict: 'shape', context: 'required' });
    }
  }
  for (const { start, value } of valuesInColumns(reading, windows, (said) => HEADER.test(said), CELL))
    found.push({ start, end: start + value.length, verdict: 'shape' });
  yield* found.sort((a, b) => a.start - b.start);
}

/** Card verification codes must never be stored (PCI DSS 3.3), so the name of the code with three digits is enough. */
export const cardVerification = defineDetector({
  id: 'card_verification_code',
  version: 2,
  family: 'payment',
  title: 'Card verification code',
  gate: {
    kind: 'literals',
    literals: [
      ...['cvv', 'CVV', 'Cvv', 'cvc', 'CVC', 'Cvc', 'cvn', 'CVN', 'cid', 'CID', 'erification', 'ERIFICATION'],
      ...['ecurity', 'ECURITY', 'r\u00fcf', 'R\u00dcF', 'ryptogramme', 'eguridad', 'icurezza'],
    ],
    reach: 40,
  },
  find,
  context: [
    'card',
    'credit',
    'debit',
    'visa',
    'mastercard',
    'amex',
    'karte',
    'kreditkarte',
    'carte',
    'tarjeta',
    'carta',
    'expiry',
    'exp',
    'valid',
  ],
  confidence: { pattern: 0.85, context: 0.85 },
  examples: {
    hits: [
      'Visa card, CVV: 123',
      'carte bancaire cryptogramme 456',
      'exp 12/27 cvc2 9876',
      'name,cvv_code\nBob,204\nAnn,311',
      'card number;CVC\n4539148803436467;311',
    ],
    misses: [
      'CVV 123',
      'name,cvv\nBob,20456\nAnn,31145',
      'name,note\nBob,204',
      'card cvv 12345',
      'card CVV code',
      'the card has 123 points',
    ],
  },
});
