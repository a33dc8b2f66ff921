import { validate as validateAmka } from 'stdnum/lib/cjs/gr/amka.js';
import { DAY, MONTH } from '../checks/date-part.ts';
import { judgeBy } from '../checks/judge-by.ts';
import { isLuhn } from '../checks/luhn.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const grSocialSecurity = defineDetector({
  id: 'gr_social_security',
  version: 3,
  family: 'national_id',
  countries: ['GR'],
  title: 'Greek social security number (AMKA)',
  randomMatch: 1 / 270,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [{ regex: token(`${DAY}${MONTH}\\d{7}`), context: 'optional' }],
  context: ['αμκα', 'amka', 'social security', 'social insurance', 'greek id', 'insured'],
  judge: judgeBy(validateAmka, isLuhn),
  examples: {
    hits: ['ΑΜΚΑ: 15078564182', 'AMKA 15078564182', '15078541925', 'social security: 15078599261'],
    misses: ['AMKA 15078564183', 'AMKA 35078564182', 'AMKA 150785641820', 'AMKA 1507856418'],
  },
});
