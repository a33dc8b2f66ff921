import { weigh } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** Weights 6 to 2 and 7 to 2, modulo 11, where the remainders 0 and 1 give 0 (ordinance 85 of 2014, article 5). */
function judgeMyNumber(match: string): Verdict {
  const number = compact(match);
  const remainder = weigh(number, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  const expected = remainder <= 1 ? 0 : 11 - remainder;
  return expected === Number(number[11]) && !/^(\d)\1{11}$/.test(number) ? 'checksum' : 'no';
}

export const jpMyNumber = defineDetector({
  id: 'jp_my_number',
  version: 3,
  family: 'national_id',
  countries: ['JP'],
  title: 'Japanese individual number (My Number)',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 12, reach: 16 },
  patterns: [{ regex: token('\\d{4}([ -]?)\\d{4}\\1\\d{4}'), context: 'optional' }],
  context: [
    'マイナンバー',
    '個人番号',
    'my number',
    'mynumber',
    'individual number',
    'kojin bango',
    'maina',
    'my number card',
  ],
  judge: judgeMyNumber,
  examples: {
    hits: [
      '個人番号 123456789018',
      'My Number 1234 5678 9018',
      '123456789018',
      'individual number: 2345-6789-0121',
    ],
    misses: [
      'My Number 1234 5678 9019',
      'My Number 0000 0000 0000',
      'My Number 1234 5678-9018',
      'My Number 1234567890180',
    ],
  },
});
