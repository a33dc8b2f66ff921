import validator from 'validator';
import { defineDetector } from './detector.ts';

/** What anyone may look at is nobody's secret: it says that a document points somewhere, and no more. */
export const webAddress = defineDetector({
  id: 'web_address',
  version: 1,
  family: 'network',
  title: 'Web address',
  gate: { kind: 'literals', literals: ['://'], reach: 520 },
  patterns: [
    {
      regex: /(?<![A-Za-z0-9+.-])(?:https?|ftps?|wss?):\/\/[^\s<>"'`{}|\\^[\]]{4,500}/g,
      context: 'optional',
    },
  ],
  context: [],
  judge: (match) =>
    validator.isURL(match.replace(/[).,;:!?]{1,3}$/, ''), {
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
    ],
    misses: ['http://localhost', 'https://', 'xhttp://example.com/', 'www.example'],
  },
});
