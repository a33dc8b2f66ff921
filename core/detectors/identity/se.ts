import { validate as validateOrgnr } from 'stdnum/lib/cjs/se/orgnr.js';
import { validate as validatePersonnummer } from 'stdnum/lib/cjs/se/personnummer.js';
import { MONTH } from '../checks/date-part.ts';
import { judgeBy } from '../checks/judge-by.ts';
import { isLuhn } from '../checks/luhn.ts';
import { token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/**
 * A date and a Luhn check digit. The validator needs the separator, because `+` marks people of 100 years and older.
 */
function judgePersonnummer(match: string): Verdict {
  if (!isLuhn(match.replace(/\D/, '').slice(-10))) return 'no';
  const separated = /[-+]/.test(match) ? match : `${match.slice(0, -4)}-${match.slice(-4)}`;
  return validatePersonnummer(separated).isValid ? 'checksum' : 'no';
}

/** The day, or the day plus 60 in a coordination number. */
const PERSONAL_DAY = '(?:0[1-9]|[12]\\d|3[01]|6[1-9]|[78]\\d|9[01])';

export const sePersonnummer = defineDetector({
  id: 'se_personnummer',
  version: 2,
  family: 'national_id',
  countries: ['SE'],
  title: 'Swedish personal identity number',
  randomMatch: 1 / 138,
  gate: { kind: 'digits', least: 10, reach: 16 },
  patterns: [{ regex: token(`(?:1[89]|20)?\\d{2}${MONTH}${PERSONAL_DAY}[-+]?\\d{4}`), context: 'optional' }],
  context: [
    ...[
      'personnummer',
      'person nr',
      'personnr',
      'pnr',
      'samordningsnummer',
      'swedish id',
      'personal identity',
    ],
    ...['personal identity number', 'personal identity code', 'skatteverket', 'folkbokford', 'svenskt id'],
  ],
  judge: judgePersonnummer,
  examples: {
    hits: ['personnummer 19820617-3273', '8206176375', '820617-5542', 'pnr 189110089811'],
    misses: ['19820617-3274', '19821317-3273', '820632-3273', 'pnr 119820617-3273', 'pnr 189x09179809'],
  },
});

export const seOrganisationsnummer = defineDetector({
  id: 'se_organisationsnummer',
  version: 2,
  family: 'tax_id',
  countries: ['SE'],
  title: 'Swedish organisation number',
  randomMatch: 1 / 18,
  gate: { kind: 'digits', least: 10, reach: 16 },
  // The third digit is at least 2. The month of a personal identity number never has such a digit there.
  patterns: [
    { regex: token('[125-9]\\d[2-9]\\d{3}-\\d{4}'), context: 'optional' },
    { regex: token('(?:16)?[125-9]\\d[2-9]\\d{7}'), context: 'required' },
  ],
  context: [
    ...[
      'organisationsnummer',
      'org nr',
      'orgnr',
      'org nummer',
      'orgnummer',
      'bolagsverket',
      'aktiebolag',
      'ab',
    ],
    ...['organisation number', 'organization number', 'company number', 'foretag'],
  ],
  judge: judgeBy(
    (number) => validateOrgnr(number.slice(-10)),
    (number) => isLuhn(number.slice(-10)),
  ),
  examples: {
    hits: ['Org.nr 556618-1912', '556559-9957', 'organisationsnummer: 2120000142'],
    misses: ['556618-1913', '551618-1912', 'Org.nr 55670x-7485', '5566181912', '19000309-3393'],
  },
});
