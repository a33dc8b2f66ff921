import { validate as validateIrd } from 'stdnum/lib/cjs/nz/ird.js';
import { judgeBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const nzIrd = defineDetector({
  id: 'nz_ird',
  version: 2,
  family: 'tax_id',
  countries: ['NZ'],
  title: 'New Zealand tax number (IRD)',
  randomMatch: 1 / 11,
  gate: { kind: 'digits', least: 8, reach: 16 },
  patterns: [{ regex: token('(?:[1-9]\\d|1[0-5]\\d)([ -]?)\\d{3}\\1\\d{3}'), context: 'required' }],
  context: ['ird', 'ird number', 'ird no', 'inland revenue', 'gst number', 'gst no', 'tax number'],
  judge: judgeBy(validateIrd),
  examples: {
    hits: ['IRD number 49-091-850', 'IRD 35 901 981', 'Inland Revenue: 49-098-576'],
    misses: ['49-091-850', 'IRD 49-091-851', 'bird 49-091-850', 'IRD 49-091-8500'],
  },
});
