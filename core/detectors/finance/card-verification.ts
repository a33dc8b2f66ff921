import { defineDetector } from '../detector.ts';

/** Card verification codes must never be stored (PCI DSS 3.3), so the name of the code with three digits is enough. */
export const cardVerification = defineDetector({
  id: 'card_verification_code',
  version: 1,
  family: 'payment',
  title: 'Card verification code',
  gate: { kind: 'digits', least: 3, reach: 40 },
  patterns: [
    {
      regex:
        /(?<=(?<![A-Za-z])(?:cvv2?|cvc2?|cvn|cid|card verification (?:code|value)|security code|kartenprüfnummer|prüfziffer|cryptogramme|código de seguridad|codice di sicurezza)[ \t]{0,2}(?:is|ist|est|es|:|=|#)?[ \t]{0,2})\d{3,4}(?![\dA-Za-z])/gi,
      context: 'required',
    },
  ],
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
  confidence: { context: 0.85 },
  examples: {
    hits: ['Visa card, CVV: 123', 'carte bancaire cryptogramme 456', 'exp 12/27 cvc2 9876'],
    misses: ['CVV 123', 'card cvv 12345', 'card CVV code', 'the card has 123 points'],
  },
});
