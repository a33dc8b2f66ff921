import { validate as validateHetu } from 'stdnum/lib/cjs/fi/hetu.js';
import { validate as validateYtunnus } from 'stdnum/lib/cjs/fi/ytunnus.js';
import { judgeBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const fiPersonalId = defineDetector({
  id: 'fi_personal_id',
  version: 2,
  family: 'national_id',
  countries: ['FI'],
  title: 'Finnish personal identity code',
  randomMatch: 1 / 1_100,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [
    { regex: token('[0-3]\\d[01]\\d{3}[-+YXWVUABCDEF]\\d{3}[0-9A-FHJ-NPR-Y]', 'i'), context: 'optional' },
  ],
  context: [
    ...['henkilotunnus', 'hetu', 'personbeteckning', 'sosiaaliturvatunnus', 'sotu', 'personal identity code'],
    ...['personal identity', 'finnish id', 'identity code'],
  ],
  // Keeps the sign of the century, which is part of the number and not a separator.
  judge: (match) => (validateHetu(match.toUpperCase()).isValid ? 'checksum' : 'no'),
  examples: {
    hits: ['131052-308T', 'hetu 010594Y9032', '150785-127b', '020516C902J'],
    misses: ['131052-308U', '131052308T', '321052-308T', '1131052-308T', '131052-308TT'],
  },
});

export const fiBusinessId = defineDetector({
  id: 'fi_business_id',
  version: 2,
  family: 'tax_id',
  countries: ['FI'],
  title: 'Finnish business identity code',
  randomMatch: 1 / 11,
  gate: { kind: 'digits', least: 8, reach: 16 },
  patterns: [{ regex: token('\\d{7}-\\d'), context: 'unless_checksum' }],
  context: ['y tunnus', 'ytunnus', 'fo nummer', 'business id', 'alv', 'company number', 'yritys'],
  judge: judgeBy(validateYtunnus),
  examples: {
    hits: ['Y-tunnus 4182247-3', '7504841-2', 'Business ID: 2774077-0'],
    misses: ['Y-tunnus 4182247-4', 'Y-tunnus 41822473', 'Y-tunnus 4182247-35', 'Y-tunnus 14182247-3'],
  },
});
