import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

/** Formats that several countries share. Countries with a format of their own have their own detectors. */
export const passportNumber = defineDetector({
  id: 'passport_number',
  version: 4,
  family: 'national_id',
  title: 'Passport number',
  gate: { kind: 'digits', least: 2, reach: 16 },
  patterns: [
    { regex: token('[A-Z]{1,3}[ -]?\\d{6,8}[A-Z]?|[A-Z]\\d{6}[A-Z]{2}', 'i'), context: 'required' },
    { regex: token('\\d{8,9}|\\d{2} \\d{7}|\\d{4} \\d{6}'), context: 'required' },
    { regex: token('\\d{2}[A-Z]{2}\\d{5}', 'i'), context: 'required' },
    // Germany: nine of these letters and digits.
    { regex: token('[CFGHJK][0-9CFGHJKLMNPRTVWXYZ]{7}\\d', 'i'), context: 'required' },
  ],
  context: [
    ...['护照', '护照号', '護照', 'パスポート', '旅券番号', 'паспорт', 'διαβατηριο', 'דרכון'],
    ...['passport', 'passport number', 'passport no', 'travel document', 'reisepass', 'reisepassnummer'],
    ...['passnummer', 'pass nr', 'passeport', 'numero de passeport', 'pasaporte', 'passaporto', 'passaporte'],
    ...['paspoort', 'paspoortnummer', 'paszport', 'paszportu', 'numer paszportu'],
    ...['cestovni pas', 'cislo pasu', 'utlevel', 'pasaport', 'putovnica', 'passinumero', 'passnummer'],
  ],
  judge: (match) => ((match.match(/\d/g) ?? []).length >= 2 ? 'shape' : 'no'),
  confidence: { context: 0.75 },
  examples: {
    hits: [
      '护照号 912803456',
      'passport number 912803456',
      'Reisepass C01X00T47',
      'passeport 12AB34567',
      'passeport 12ab34567',
      'passport c01x00t47',
      'Passport: X1234567',
    ],
    misses: [
      '912803456',
      'passports 912803456x',
      'passport CFGHJKLMN',
      'the bypassport 912803456',
      'n’est pas 912803456',
    ],
  },
});
