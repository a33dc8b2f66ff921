import validator from 'validator';
import { LETTERS_BEYOND_ASCII } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

/**
 * The characters of RFC 3986, except those that close a quotation or bracket around the address, and letters of scripts
 * with spaces between words (RFC 3987).
 */
const REST = `[!#-&(-;=?-Z_a-z~${LETTERS_BEYOND_ASCII}]`;

/** What follows an address by the rules of GitHub Flavored Markdown (extended autolinks). */
const AFTER = /(?:[?!.,:*_~]|(?<!&[A-Za-z]{2,8});|&[A-Za-z]{2,8};)$/;
const MAX_AFTER = '&12345678;'.length;

/** An address without the punctuation after it. A closing bracket belongs to it if the address has its opening one. */
function alone(match: string): string {
  let end = match.length;
  let unopened = countOf(match, ')') - countOf(match, '(');
  for (;;) {
    const isUnopened = unopened > 0 && match[end - 1] === ')';
    const after = isUnopened ? ')' : AFTER.exec(match.slice(Math.max(0, end - MAX_AFTER), end))?.[0];
    if (after === undefined) return match.slice(0, end);
    if (isUnopened) unopened -= 1;
    end -= after.length;
  }
}

const countOf = (text: string, character: string): number => text.split(character).length - 1;

/** A web address is not sensitive in itself. It only shows that a document links somewhere. */
export const webAddress = defineDetector({
  id: 'web_address',
  version: 3,
  family: 'network',
  title: 'Web address',
  gate: { kind: 'literals', literals: ['://', 'www.', 'WWW.'], reach: 560 },
  patterns: [
    {
      regex: new RegExp(
        `(?<![A-Za-z0-9+.@-])(?:(?:https?|ftps?|wss?)://(?:\\[[0-9a-f:.]{2,45}\\]${REST}{0,500}|${REST}{4,500})|www\\.[a-z0-9${LETTERS_BEYOND_ASCII}-]{1,63}\\.${REST}{2,400})`,
        'gi',
      ),
      context: 'optional',
    },
  ],
  context: [],
  alone,
  judge: (match) =>
    validator.isURL(match.replace(/^www\./i, 'http://www.'), {
      require_protocol: true,
      protocols: ['http', 'https', 'ftp', 'ftps', 'ws', 'wss'],
    })
      ? 'shape'
      : 'no',
  confidence: { pattern: 0.3 },
  examples: {
    hits: [
      'see https://example.com/a?b=1.',
      '<a href="http://www.example.org/">',
      'ftp://files.example.net/x',
      'HTTPS://EXAMPLE.COM/A',
      'http://[fd12:4719::17]:8080/status',
      'see www.example.com/a, too',
    ],
    misses: ['http://localhost', 'https://', 'xhttp://example.com/', 'www.example'],
  },
});
