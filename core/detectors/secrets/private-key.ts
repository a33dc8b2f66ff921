import { defineDetector, type Verdict } from '../detector.ts';

/** A header that its end follows at once is that of no key. */
const NOT_EMPTY = '(?![^-]{0,63}-----END)';
/** What follows the header of a real key: its first line, or the inner headers of older formats. */
const BODY = `(?:(?:\\\\[rn]|[\\s"'+/,;#*>|]){0,60}(?:[A-Za-z0-9][A-Za-z0-9+/=]{19}|(?:Proc-Type|Version|Comment): ))?`;

/** A header without a key occurs in programs that read keys and in documentation. */
const judge = (match: string): Verdict => (/^-----BEGIN [^-]{1,60}-----$/.test(match) ? 'sample' : 'shape');

/** RFC 7468 and its predecessors, PuTTY's format, and `age`. */
export const privateKey = defineDetector({
  id: 'private_key',
  version: 4,
  family: 'secret',
  title: 'Private key',
  gate: {
    kind: 'literals',
    literals: ['PRIVATE KEY', 'PuTTY-User-Key-File', 'AGE-SECRET-KEY-1'],
    reach: 140,
  },
  patterns: [
    {
      regex: new RegExp(
        `-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----${NOT_EMPTY}${BODY}|PuTTY-User-Key-File-[23]: ?[a-z0-9-]{4,40}|(?<![A-Za-z0-9])AGE-SECRET-KEY-1[0-9A-Z]{58}(?![A-Za-z0-9])`,
        'g',
      ),
      context: 'optional',
    },
  ],
  context: [],
  judge,
  confidence: { pattern: 0.98 },
  examples: {
    hits: [
      '-----BEGIN PRIVATE KEY-----\nMIIE',
      '-----BEGIN RSA PRIVATE KEY-----',
      '"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIE',
      '-----BEGIN OPENSSH PRIVATE KEY-----',
      '-----BEGIN PGP PRIVATE KEY BLOCK-----',
      'PuTTY-User-Key-File-3: ssh-ed25519',
      `AGE-SECRET-KEY-1${'Q2W3E4R5'.repeat(7)}T6`,
    ],
    misses: [
      '-----BEGIN PUBLIC KEY-----',
      '-----END PRIVATE KEY-----',
      'keep your PRIVATE KEY safe',
      'PuTTY-User-Key-File',
      '-----BEGIN PRIVATE KEY-----\nthe key\n-----END PRIVATE KEY-----',
      'AGE-SECRET-KEY-1SHORT',
    ],
  },
});
