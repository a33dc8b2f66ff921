import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** The key is 97 less the remainder of the thirteen figures; Corsica's letters count as 19 and 18. */
function judge(match: string): Verdict {
  const number = compact(match);
  const figures = number.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return 97 - (Number(figures) % 97) === Number(number.slice(13)) ? 'checksum' : 'no';
}

export const frNir = defineDetector({
  id: 'fr_nir',
  version: 2,
  family: 'national_id',
  countries: ['FR'],
  title: 'French social security number (NIR)',
  randomMatch: 1 / 180,
  gate: { kind: 'digits', least: 13, reach: 26 },
  patterns: [
    {
      regex: token(
        '[1-478][ .-]?\\d{2}[ .-]?(?:0[1-9]|1[0-2]|[2-9]\\d)[ .-]?(?:\\d{2}|2[AB])[ .-]?\\d{3}[ .-]?\\d{3}[ .-]?\\d{2}',
      ),
      context: 'optional',
    },
  ],
  context: [
    ...[
      'nir',
      'securite sociale',
      'numero de securite sociale',
      'n de securite sociale',
      'secu',
      'insee',
      'cpam',
    ],
    ...['carte vitale', 'assurance maladie', 'assure', 'social security'],
  ],
  judge,
  examples: {
    hits: [
      'NIR 1 84 12 76 451 089 46',
      '184127645108946',
      'numéro de sécurité sociale : 2 69 05 49 588 157 80',
    ],
    misses: ['184127645108947', '9184127645108946', '1 84 00 76 451 089 46'],
  },
});
