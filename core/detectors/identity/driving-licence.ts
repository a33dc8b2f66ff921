import { COMMON_SHAPE } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

/** Formats that several countries share. Countries with a format of their own have their own detectors. */
export const drivingLicenceNumber = defineDetector({
  id: 'driving_licence_number',
  version: 2,
  family: 'national_id',
  title: 'Driving licence number',
  gate: { kind: 'digits', least: 6, reach: 20 },
  patterns: [
    // France, Switzerland, Netherlands, Belgium, Austria, Sweden, Denmark, Norway and others: digits.
    { regex: token('\\d{8,12}|\\d{2} \\d{2} \\d{2} \\d{6}|\\d{2} \\d{2} \\d{6} \\d'), context: 'required' },
    // Poland: number, year, office. Canada: Ontario. Australia, Ireland, Portugal, Finland: letters at the start or
    // inside.
    { regex: token('\\d{5}/\\d{2}/\\d{4}|[A-Z]\\d{4}-\\d{5}-\\d{5}'), context: 'required' },
    {
      regex: token('[A-Z]{1,2}[ -]?\\d{6,9}|\\d{3}[A-Z]{2}\\d{4}|\\d{8}[A-Z]', 'i'),
      context: 'required',
    },
  ],
  context: [
    ...['permis de conduire', 'numero de permis', 'n de permis', 'permis n', 'permiso de conducir'],
    ...[
      'carnet de conducir',
      'carta de conducao',
      'rijbewijs',
      'rijbewijsnummer',
      'prawo jazdy',
      'prawa jazdy',
    ],
    ...[
      'fuhrerausweis',
      'fuhrerausweisnummer',
      'fuhrerschein',
      'fuhrerscheinnummer',
      'korkort',
      'korkortsnummer',
    ],
    ...['korekort', 'forerkort', 'ajokortti', 'ridicsky prukaz', 'driving licence', 'driving license'],
    ...['driver licence', 'driver s licence', 'drivers licence', 'patente di guida', 'licenca de conducao'],
    ...['carteira de motorista', 'cnh', 'licencia de conducir', 'driving licence number', 'driving permit'],
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: [
      'permis de conduire n° 940992310285',
      'Rijbewijsnummer: 3126405897',
      'prawo jazdy 00123/15/1465',
      'ajokortti ab471928',
    ],
    misses: [
      '940992310285',
      'permis de conduire 2019',
      'prawo jazdy 00123/15/14656',
      'permis de séjour 940992310285',
    ],
  },
});
