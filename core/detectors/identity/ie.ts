import { validate as validatePps } from 'stdnum/lib/cjs/ie/pps.js';
import { judgeBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const iePps = defineDetector({
  id: 'ie_pps',
  version: 2,
  family: 'national_id',
  countries: ['IE'],
  title: 'Irish personal public service number',
  randomMatch: 1 / 26,
  gate: { kind: 'digits', least: 7, reach: 16 },
  patterns: [{ regex: token('\\d{7} ?[A-W][AHWTX]?', 'i'), context: 'optional' }],
  context: [
    ...['pps', 'ppsn', 'pps number', 'pps no', 'personal public service', 'rsi number', 'revenue', 'welfare'],
    ...['uimhir psp'],
  ],
  judge: judgeBy(validatePps),
  examples: {
    hits: ['PPS number 9120646A', '0253693A', 'PPSN: 8887031PA'],
    misses: ['PPSN 9120646B', 'PPSN 91206466A', 'PPSN 9120646AB', 'PPSN 912064A'],
  },
});
