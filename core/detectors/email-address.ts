import validator from 'validator';
import { defineDetector, type Verdict } from './detector.ts';

const LOCAL = "A-Za-z0-9\\u00aa-\\u1fff._%+'-";
const LABEL = 'A-Za-z0-9\\u00aa-\\u1fff\\u3005-\\ud7a3-';

/** What most addresses are, and the validator lets through: plain words between single dots, and labels likewise. */
const PLAIN = /^[\w%+-]+(?:\.[\w%+-]+)*@(?:[A-Za-z\d]+(?:-[A-Za-z\d]+)*\.)+[A-Za-z]{2,24}$/;
const MOST_PLAIN = 64;

function judge(match: string): Verdict {
  if (match.length <= MOST_PLAIN && PLAIN.test(match)) return 'shape';
  return validator.isEmail(match.replace(/^['.]/, '')) ? 'shape' : 'no';
}

export const emailAddress = defineDetector({
  id: 'email_address',
  version: 2,
  family: 'contact',
  title: 'E-mail address',
  gate: { kind: 'at', reach: 260 },
  patterns: [
    {
      // The look-behind lets a match start only where a local part does, which keeps a long run of letters linear.
      regex: new RegExp(
        `(?<![${LOCAL}])[${LOCAL}]{1,64}@(?:[${LABEL}]{1,63}\\.){1,6}[A-Za-z\\u00aa-\\u1fff]{2,24}(?![${LABEL}@])`,
        'g',
      ),
      context: 'optional',
    },
  ],
  context: [
    'email',
    'e mail',
    'mail',
    'mailto',
    'contact',
    'courriel',
    'correo',
    'posta',
    'adresse',
    'address',
    'from',
    'to',
  ],
  judge,
  confidence: { pattern: 0.9, context: 0.95 },
  examples: {
    hits: [
      'write to anna.muster@example.com.',
      '<j+tag@mail.example.co.uk>',
      'jürgen@müller.example',
      "o'neil@example.org",
    ],
    misses: [
      'user@localhost',
      '@example.com',
      'a@b',
      'name@example..com',
      'see user@ example.com',
      'git@host:repo',
    ],
  },
});
