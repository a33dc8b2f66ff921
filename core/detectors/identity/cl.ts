import { validate as validateRut } from 'stdnum/lib/cjs/cl/rut.js';
import { judgeBy } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const clRut = defineDetector({
  id: 'cl_rut',
  version: 2,
  family: 'national_id',
  countries: ['CL'],
  title: 'Chilean taxpayer number (RUT, RUN)',
  randomMatch: 1 / 11,
  gate: { kind: 'digits', least: 7, reach: 16 },
  patterns: [
    { regex: token('\\d{1,2}\\.\\d{3}\\.\\d{3}-[0-9K]', 'i'), context: 'optional' },
    { regex: token('\\d{7,8}-[0-9K]', 'i'), context: 'required' },
    { regex: token('(?<=\\b(?:rut|r\\.u\\.t\\.)[ :#]{1,3})\\d{7,8}[0-9K]', 'i'), context: 'required' },
  ],
  context: ['rut', 'run', 'rol unico', 'rol unico tributario', 'rol unico nacional', 'r u t', 'cedula'],
  judge: judgeBy(validateRut),
  examples: {
    hits: ['RUT 92.190.300-6', '75.352.055-4', 'RUT: 38551550-2', 'RUT 753520554'],
    misses: [
      '92.190.300-7',
      '92190300-6',
      'RUT 92190300-67',
      'RUT 192.190.300-6',
      'routes 92190300-6',
      '753520554',
      'run 753520554',
    ],
  },
});
