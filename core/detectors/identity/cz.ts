import { validate as validateRc } from 'stdnum/lib/cjs/cz/rc.js';
import { DAY } from '../checks/date-part.ts';
import { judgeBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

/** For women 50 is added to the month. If the numbers of a day run out, 20 is added. */
const DATE = `\\d{2}(?:[0257][1-9]|[1368][0-2])${DAY}`;

export const czBirthNumber = defineDetector({
  id: 'cz_birth_number',
  version: 2,
  family: 'national_id',
  countries: ['CZ', 'SK'],
  title: 'Czech or Slovak birth number',
  randomMatch: 1 / 97,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [
    { regex: token(`${DATE}/?\\d{4}`), context: 'optional' },
    { regex: token(`${DATE}/?\\d{3}`), context: 'required' },
  ],
  context: ['rodne cislo', 'rc', 'r c', 'rodneho cisla', 'birth number', 'personal number', 'rodnym cislem'],
  judge: judgeBy(validateRc),
  examples: {
    hits: ['rodné číslo 785312/6589', '800715/0525', 'r. č. 7853120561'],
    misses: ['785312658', '785312/6588', 'r. č. 783512/6589', 'r. č. 785312/65890'],
  },
});
