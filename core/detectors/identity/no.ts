import { validate as validateFodselsnummer } from 'stdnum/lib/cjs/no/fodselsnummer.js';
import { validate as validateOrgnr } from 'stdnum/lib/cjs/no/orgnr.js';
import { judgeBy, sumsTo } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const noNationalId = defineDetector({
  id: 'no_national_id',
  version: 2,
  family: 'national_id',
  countries: ['NO'],
  title: 'Norwegian national identity number',
  randomMatch: 1 / 1_000,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [{ regex: token('[0-7]\\d[0-57]\\d{3}[ -]?\\d{5}'), context: 'optional' }],
  context: [
    ...['fodselsnummer', 'fodselsnr', 'personnummer', 'd nummer', 'fnr', 'folkeregisteret', 'norwegian id'],
    ...['national identity number', 'personnr', 'fodsels og personnummer'],
  ],
  judge: judgeBy(validateFodselsnummer, sumsTo([3, 7, 6, 1, 8, 9, 4, 5, 2, 1], 11)),
  examples: {
    hits: ['fødselsnummer 150785 39337', '15078559362', 'fnr: 15078542826'],
    misses: ['15078539338', 'fnr 32078539337', 'fnr 150785393370', 'fnr 1507853933'],
  },
});

const judgeDigits = judgeBy(validateOrgnr);

export const noOrganisationNumber = defineDetector({
  id: 'no_organisation_number',
  version: 2,
  family: 'tax_id',
  countries: ['NO'],
  title: 'Norwegian organisation number',
  randomMatch: 1 / 1_000_000,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [
    { regex: token('(?:NO ?)?[89]\\d{2}[ .]?\\d{3}[ .]?\\d{3} ?MVA', 'i'), context: 'optional' },
    { regex: token('[89]\\d{2} ?\\d{3} ?\\d{3}'), context: 'required' },
  ],
  context: [
    ...[
      'orgnr',
      'org nr',
      'organisasjonsnummer',
      'org nummer',
      'foretaksnummer',
      'foretaksregisteret',
      'mva',
    ],
    ...['bronnoysund', 'organisation number', 'organization number'],
  ],
  judge: (match) => judgeDigits(match.replace(/[A-Z]/gi, '')),
  examples: {
    hits: ['Org.nr 913 226 585', 'NO902536930MVA', 'organisasjonsnummer: 933786439'],
    misses: ['913226585', 'Org.nr 913226586', 'Org.nr 9132265850', 'NO913226586MVA'],
  },
});
