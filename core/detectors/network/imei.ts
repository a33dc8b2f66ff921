import validator from 'validator';
import { compact, token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const imei = defineDetector({
  id: 'imei',
  version: 2,
  family: 'device',
  title: 'Mobile device number (IMEI)',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 15, reach: 20 },
  patterns: [
    { regex: token('\\d{2}-\\d{6}-\\d{6}-\\d'), context: 'optional' },
    // With spaces. Instead of the check digit, a software version can follow (3GPP TS 23.003).
    { regex: token('\\d{2}([ -])\\d{6}\\1\\d{6}\\1\\d{1,2}|\\d{15}'), context: 'required' },
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
  judge: (match) => {
    const number = compact(match);
    if (/^(\d)\1+$/.test(number)) return 'no';
    if (number.length === 16) return 'shape';
    return validator.isIMEI(number) ? 'checksum' : 'no';
  },
  examples: {
    hits: [
      'IMEI 490154203237518',
      '49-015420-323751-8',
      'device,356938035643809',
      'IMEI 49 015420 323751 8',
      'IMEISV 49-015420-323751-02',
    ],
    misses: [
      '490154203237518',
      'IMEI 490154203237519',
      'IMEI 4901542032375180',
      'imei 000000000000000',
      '49-015420-323751-02',
    ],
  },
});
