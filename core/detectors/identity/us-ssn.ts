import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** Withdrawn by the Social Security Administration after they were printed in advertisements. */
const SAMPLES = new Set(['078051120', '219099999', '123456789', '111111111', '333333333', '999999999']);
const NEVER_ISSUED = /^(?:000|666|9)|^\d{3}00|0000$/;

function judge(match: string): Verdict {
  const number = compact(match);
  if (SAMPLES.has(number)) return 'sample';
  return NEVER_ISSUED.test(number) ? 'no' : 'shape';
}

export const usSsn = defineDetector({
  id: 'us_ssn',
  version: 2,
  family: 'national_id',
  countries: ['US'],
  title: 'US social security number',
  gate: { kind: 'digits', least: 9, reach: 14 },
  patterns: [
    { regex: token('\\d{3}-\\d{2}-\\d{4}'), context: 'optional' },
    { regex: token('\\d{3}[ .]?\\d{2}[ .-]?\\d{4}|\\d{3}-\\d{2}[ .]?\\d{4}'), context: 'required' },
  ],
  context: [
    ...['ssn', 'ssns', 'ssid', 'social security', 'social security number', 'social', 'soc sec', 'taxpayer'],
    ...['tax id', 'seguro social', 'numero de seguro social'],
  ],
  judge,
  confidence: { pattern: 0.6, context: 0.9 },
  examples: {
    hits: [
      '308-63-0237',
      'SSN 308630237',
      'social security number: 308 63 0237',
      'ssn 078-05-1120',
      'SSN 308-630237',
      'ssn 308 63-0237',
    ],
    misses: [
      '308630237',
      '000-12-3456',
      '666-12-3456',
      '900-12-3456',
      '123-00-4567',
      '1308-63-0237',
      '308-63-0237-1',
    ],
  },
});
