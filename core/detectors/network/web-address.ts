import validator from 'validator';
import { defineDetector } from '../detector.ts';

/** The characters of RFC 3986, except those that close a quotation or bracket around the address. */
const REST = '[^\\s<>"\'`{}|\\\\^[\\]]';

/** A web address is not sensitive in itself. It only shows that a document links somewhere. */
export const webAddress = defineDetector({
  id: 'web_address',
  version: 2,
  family: 'network',
  title: 'Web address',
  gate: { kind: 'literals', literals: ['://', 'www.', 'WWW.'], reach: 560 },
  patterns: [
    {
      regex: new RegExp(
        `(?<![A-Za-z0-9+.@-])(?:(?:https?|ftps?|wss?)://(?:\\[[0-9a-f:.]{2,45}\\]${REST}{0,500}|${REST}{4,500})|www\\.[a-z0-9\\u00aa-\\u1fff-]{1,63}\\.${REST}{2,400})`,
        'gi',
      ),
      context: 'optional',
    },
  ],
  context: [],
  judge: (match) =>
    validator.isURL(match.replace(/[).,;:!?]{1,3}$/, '').replace(/^www\./i, 'http://www.'), {
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
