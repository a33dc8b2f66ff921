import { defineDetector, type Verdict } from './detector.ts';
import { token } from './token.ts';

const SEPARATOR = '[ .()/\\u00a0-]{1,3}';
const EXTENSION = '(?: ?(?:x|ext\\.? ?)\\d{1,6})?';
const DATE_OR_ADDRESS =
  /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{2}|\d{4}))(?: \d{1,2})?$|^\d{1,3}(?:\.\d{1,3}){3}$/;
/** A US social security number, and a payment card number. */
const OTHER_IDENTIFIER = /^\d{3}-\d{2}-\d{4}$|^\d{4}[ -]\d{4}[ -]\d{4}/;

/** ITU-T E.164 allows fifteen digits; below seven it is a short code or a year. */
function judge(match: string): Verdict {
  if (DATE_OR_ADDRESS.test(match) || OTHER_IDENTIFIER.test(match)) return 'no';
  const digits = match.replace(/ ?(?:x|ext).*$/i, '').replace(/\D/g, '');
  if (digits.length < 7 || digits.length > 15 || /^(\d)\1{5}/.test(digits)) return 'no';
  return /555-?01\d{2}$/.test(match) ? 'sample' : 'shape';
}

export const phoneNumber = defineDetector({
  id: 'phone_number',
  version: 1,
  family: 'contact',
  title: 'Telephone number',
  gate: { kind: 'digits', least: 7, reach: 60 },
  patterns: [
    { regex: token(`\\+[1-9]\\d{0,14}(?:${SEPARATOR}\\d{1,12}){0,6}${EXTENSION}`), context: 'optional' },
    { regex: token(`00[1-9]\\d{0,2}(?:${SEPARATOR}\\d{1,12}){1,6}`), context: 'required' },
    // North America.
    {
      regex: token(`(?:1[-. ])?\\([2-9]\\d{2}\\) ?[2-9]\\d{2}[-. ]\\d{4}${EXTENSION}`, 'i'),
      context: 'optional',
    },
    { regex: token(`(?:1[-.])?[2-9]\\d{2}([-.])[2-9]\\d{2}\\1\\d{4}${EXTENSION}`, 'i'), context: 'optional' },
    // Elsewhere, and what people make of it.
    { regex: token(`\\(?\\d{1,6}(?:${SEPARATOR}\\d{2,8}){1,5}${EXTENSION}`, 'i'), context: 'required' },
    { regex: token('0\\d{8,11}|[2-9]\\d{9}'), context: 'required' },
  ],
  context: [
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
    ...['komorka', 'komorkowy', 'numer telefonu', 'zadzwon', 'kom'],
  ],
  judge,
  confidence: { pattern: 0.6, context: 0.85 },
  examples: {
    hits: [
      '+49 (0) 30 901820',
      '+14155552671',
      '(978) 645-9740 x11144',
      '833.719.3994x1887',
      'Tel. 030 / 901820-14',
      'call 06-24312407',
      'Telefon: 0170 1234567',
      'You can call 73 448 266',
    ],
    misses: [
      '73 448 266',
      'call me on 2024-05-17',
      'phone 12.05.2024',
      'fax 10.0.0.1',
      'phone model 1234',
      '+1 2',
      'SSN phone 308-63-0237',
    ],
  },
});
