import validator from 'validator';
import { defineDetector, type Find, type Reading } from '../detector.ts';
import { endOfDomain, startOfLocal } from './address-parts.ts';

/**
 * Most addresses, which the validator always accepts: words between single dots, then labels between single dots.
 * Spares the validator.
 */
const PLAIN = /^[\w%+-]+(?:\.[\w%+-]+)*@(?:[A-Za-z\d]+(?:-[A-Za-z\d]+)*\.)+[A-Za-z]{2,24}$/;
const MAX_PLAIN = 64;

/** Whether a text is one address and nothing else. */
export const isMailAddress = (text: string): boolean =>
  (text.length <= MAX_PLAIN && PLAIN.test(text)) ||
  validator.isEmail(text.replace('[IPv6:', '['), { allow_ip_domain: true });

/** What the domain of an address never ends with: the name of a picture for a screen, `icon@2x.png`. */
const FILE = /\.(?:avif|bmp|css|gif|htm|html|ico|jpe?g|js|json|png|scss|svg|tiff?|webp|woff2?|xml)$/i;
/** The user of a host in an address of the web, except that of `mailto:`. */
const USER_OF = /[A-Za-z][A-Za-z\d+.-]{1,15}:\/\/(?!mailto:)(?:[^\s/@:]{0,64}:)?$/;
/** `git@host:path`, as `scp` and Git write it. */
const PATH_OF_HOST = /^:(?:[\w.~-]{1,64}\/[\w.~-]|[\w.~-]{1,64}\.git\b)/;
const MAX_BEFORE = 90;

/** Whether something looks like an address, and is a file, or the user of a host. */
const isNoAddress = (text: string, start: number, end: number): boolean =>
  FILE.test(text.slice(start, end)) ||
  PATH_OF_HOST.test(text.slice(end, end + MAX_BEFORE)) ||
  USER_OF.test(text.slice(Math.max(0, start - MAX_BEFORE), start));

function* find({ text }: Reading, windows: readonly number[]): Generator<Find> {
  let last = 0;
  for (let i = 0; i + 1 < windows.length; i += 2) {
    const [from = 0, to = 0] = windows.slice(i, i + 2);
    for (let at = text.indexOf('@', from); at >= 0 && at < to; at = text.indexOf('@', at + 1)) {
      const end = endOfDomain(text, at + 1);
      const start = end === null ? null : startOfLocal(text, at, end);
      if (start === null || end === null || start < last) continue;
      if (!isMailAddress(text.slice(start, end)) || isNoAddress(text, start, end)) continue;
      last = end;
      yield { start, end, verdict: 'shape' };
    }
  }
}

export const emailAddress = defineDetector({
  id: 'email_address',
  version: 5,
  family: 'contact',
  title: 'E-mail address',
  gate: { kind: 'at', reach: 260 },
  find,
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
      'mail anna@example.com: the report/list',
      'http://mailto:anna.muster@example.com',
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
      'icon@2x.png',
      'git@github.com:owner/repo.git',
      'https://anna@files.example.com/',
      'ssh://git@gitlab.example.com/x',
      '"quoted" @example.com',
      'anna@xn--.example1',
      'anna@[10.4.7.19',
    ],
  },
});
