import validator from 'validator';
import { defineDetector } from './detector.ts';
import { compact, token } from './token.ts';

export const imei = defineDetector({
  id: 'imei',
  version: 2,
  family: 'device',
  title: 'Mobile device number (IMEI)',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 15, reach: 20 },
  patterns: [
    { regex: token('\\d{2}-\\d{6}-\\d{6}-\\d'), context: 'optional' },
    { regex: token('\\d{15}'), context: 'required' },
  ],
  context: [
    ...['imei', 'imeisv', 'device', 'device id', 'handset', 'phone', 'mobile', 'smartphone', 'serial', 'tac'],
    ...[
      'gerat',
      'handy',
      'appareil',
      'telephone',
      'telefono',
      'movil',
      'dispositivo',
      'telemovel',
      'toestel',
    ],
    ...['urzadzenie', 'telefon'],
  ],
  judge: (match) =>
    validator.isIMEI(match, { allow_hyphens: match.includes('-') }) && !/^(\d)\1+$/.test(compact(match))
      ? 'checksum'
      : 'no',
  examples: {
    hits: ['IMEI 490154203237518', '49-015420-323751-8', 'device,356938035643809'],
    misses: ['490154203237518', 'IMEI 490154203237519', 'IMEI 4901542032375180', 'imei 000000000000000'],
  },
});
