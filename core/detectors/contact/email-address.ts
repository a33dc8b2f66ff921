import validator from 'validator';
import { defineDetector, type Verdict } from '../detector.ts';

const LATIN = 'A-Za-z0-9\\u00aa-\\u1fff';
const BEYOND = '\\u3005-\\ud7a3';
/**
 * The first characters of a local part: `atext` of RFC 5321, without the characters that separate an address from the
 * text before it, as in `?to=`, `|` and `/`. Some of these are allowed after the first character.
 */
const LOCAL = `${LATIN}._%+'-`;
const LABEL = `[${LATIN}${BEYOND}-]{1,63}`;
/** Letters, or a name in another script in its DNS form (RFC 5890). */
const TOP = `(?:xn--[A-Za-z0-9-]{2,58}|[A-Za-z\\u00aa-\\u1fff]{2,24})(?![${LATIN}@-])|[${BEYOND}]{2,24}`;
const DOMAIN = `(?:${LABEL}\\.){1,6}(?:${TOP})`;
/** An address literal instead of a domain (RFC 5321). */
const HOST = '\\[(?:\\d{1,3}(?:\\.\\d{1,3}){3}|IPv6:[0-9A-Fa-f:.]{2,45})\\]';

/**
 * Most addresses, which the validator always accepts: words between single dots, then labels between single dots.
 * Spares the validator.
 */
const PLAIN = /^[\w%+-]+(?:\.[\w%+-]+)*@(?:[A-Za-z\d]+(?:-[A-Za-z\d]+)*\.)+[A-Za-z]{2,24}$/;
const MAX_PLAIN = 64;

function judge(match: string): Verdict {
  if (match.length <= MAX_PLAIN && PLAIN.test(match)) return 'shape';
  const address = match.replace(/^['.]/, '').replace('[IPv6:', '[');
  return validator.isEmail(address, { allow_ip_domain: true }) ? 'shape' : 'no';
}

export const emailAddress = defineDetector({
  id: 'email_address',
  version: 3,
  family: 'contact',
  title: 'E-mail address',
  gate: { kind: 'at', reach: 260 },
  patterns: [
    {
      // The look-behind allows a match to start only at the start of a local part, so the time stays linear in a long
      // run of letters.
      regex: new RegExp(
        `(?<![${LOCAL}])[${LOCAL}][${BEYOND}&#!$*~${LOCAL}]{0,63}@(?:${DOMAIN}|${HOST})`,
        'g',
      ),
      context: 'optional',
    },
    // Other scripts have no spaces between words. There, a local part may begin after any character that belongs to
    // no word.
    {
      regex: new RegExp(`(?<![^\\s<(:;,"'\\uff1a])[${BEYOND}][${BEYOND}${LOCAL}]{0,31}@${DOMAIN}`, 'g'),
      context: 'optional',
    },
    {
      regex: new RegExp(`(?<![\\w"])"[^"\\r\\n]{1,62}"@(?:${DOMAIN}|${HOST})`, 'g'),
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
      'anna@xn--mller-kva.example',
      'anna@beispiel.xn--vermgensberatung-pwb',
      '请写信至anna.muster@example.com谢谢',
      '联系 用户@例子.公司',
      '"anna muster"@example.com',
      '"anna\\@home"@example.com',
      'r&d@example.com',
      'postmaster@[10.4.7.19]',
      'postmaster@[IPv6:fd12:4719::17]',
    ],
    misses: [
      'user@localhost',
      '@example.com',
      'a@b',
      'name@example..com',
      'see user@ example.com',
      'git@host:repo',
      '"quoted" @example.com',
      'anna@xn--.example1',
      'anna@[10.4.7.19',
    ],
  },
});
