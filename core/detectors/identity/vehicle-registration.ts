import { COMMON_SHAPE } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

const VEHICLE = [
  ...[
    'registration',
    'registration number',
    'reg',
    'number plate',
    'plate',
    'license plate',
    'licence plate',
  ],
  ...['car', 'vehicle', 'vehicles', 'van', 'truck', 'lorry', 'vrm', 'fleet', 'parking'],
];

/**
 * Plates since 2001 have a distinctive format. The formats of older ones are common. The letters follow DVLA INF104.
 */
export const ukVehicleRegistration = defineDetector({
  id: 'uk_vehicle_registration',
  version: 2,
  family: 'vehicle',
  countries: ['GB'],
  title: 'UK vehicle registration number',
  gate: { kind: 'digits', least: 1, reach: 10 },
  patterns: [
    {
      regex: token('[A-HJ-PR-Y][A-HJ-PR-Y](?:0[2-9]|[12]\\d|5[1-9]|[67]\\d) ?[A-HJ-PR-Z]{3}'),
      context: 'optional',
    },
    {
      regex: token('[A-HJ-NPR-TV-Y]\\d{1,3} ?[A-HJ-PR-Y]{3}|[A-HJ-PR-Y]{3} ?\\d{1,3}[A-HJ-NPR-TV-Y]'),
      context: 'optional',
    },
    // As people type them, and plates of Northern Ireland, whose two or three letters include an I or a Z.
    {
      regex: token(
        '[A-HJ-PR-Y]{2}(?:0[2-9]|[12]\\d|5[1-9]|[67]\\d) ?[A-HJ-PR-Z]{3}|[A-HJ-NPR-TV-Y]\\d{1,3} ?[A-HJ-PR-Y]{3}|[A-HJ-PR-Y]{3} ?\\d{1,3}[A-HJ-NPR-TV-Y]',
        'i',
      ),
      context: 'required',
    },
    { regex: token('(?:[A-Z]I[A-Z]|[A-Z]{1,2}Z) ?[1-9]\\d{0,3}'), context: 'required' },
  ],
  context: VEHICLE,
  confidence: COMMON_SHAPE,
  examples: {
    hits: [
      'car reg AB51 ABC',
      'BD62XYZ',
      'plate A123 BCD',
      'ABC 123D',
      'number plate ab51 abc',
      'car OIG 4719',
    ],
    misses: [
      'IB51 ABC',
      'AQ51 ABC',
      'AB35 ABC',
      'O123 BCD',
      'ab51 abc',
      'OIG 4719',
      'AB51 ABCD',
      'car ib51 abc',
    ],
  },
});

/**
 * District of one to three letters, one or two letters, one to four digits, then E or H (FZV, annex 4). A hyphen or a
 * space separates the district, where a plate has its seals. A space before the digits is optional.
 */
export const deVehicleRegistration = defineDetector({
  id: 'de_vehicle_registration',
  version: 4,
  family: 'vehicle',
  countries: ['DE'],
  title: 'German vehicle registration number',
  gate: { kind: 'digits', least: 1, reach: 12 },
  patterns: [
    { regex: token('[A-ZÄÖÜ]{1,3}-[A-Z]{1,2}[ -]?[1-9]\\d{0,3}(?: ?[EH])?'), context: 'optional' },
    // Three short words with a number can be anything, for example "age of 16".
    {
      regex: token('[A-ZÄÖÜ]{1,3}(?: ?[-:·] ?[A-Z]{1,2}[ -]?| [A-Z]{1,2}[ -])[1-9]\\d{0,3}(?: ?[EH])?', 'i'),
      context: 'required',
    },
    { regex: token('[A-ZÄÖÜ]{1,3} [A-Z]{1,2}[1-9]\\d{0,3}[EH]?'), context: 'required' },
    // Plates of the armed forces, the federal police, parliament, the agency for technical relief and diplomats.
    {
      regex: token('Y[ -][1-9]\\d{5}|(?:BD|BP)[ -]\\d{1,2}-\\d{1,3}|THW[ -]?8\\d{4}|0[ -]\\d{2,3}-\\d{1,3}'),
      context: 'required',
    },
  ],
  context: [
    ...[
      'kennzeichen',
      'kfz',
      'kfz kennzeichen',
      'amtliches kennzeichen',
      'nummernschild',
      'fahrzeug',
      'auto',
    ],
    ...[
      'fuhrpark',
      'halter',
      'pkw',
      'lkw',
      'plate',
      'license plate',
      'vehicle',
      'kfz nr',
      'polizeiliches kennzeichen',
    ],
    ...['zulassung', 'autokennzeichen', 'wagen', 'anhanger', 'motorrad', 'number plate'],
  ],
  confidence: { pattern: 0.1, context: 0.75 },
  examples: {
    hits: [
      'Kennzeichen B-AB-1234',
      'Fahrzeug HH AB 1234',
      'Halter von M-XY99',
      'kfz m xy 999',
      'B-AB 1234',
      'Kennzeichen OHZ AB12H',
      'kfz b-ab 471e',
      'Kennzeichen Y-471928',
    ],
    misses: [
      'BAB1234',
      'B-AB-0123',
      'Kennzeichen ABCD-EF-12',
      'B-ABC-12',
      'age of 16',
      'Y-471928',
      'Kennzeichen B-AB 01',
    ],
  },
});

export const trVehicleRegistration = defineDetector({
  id: 'tr_vehicle_registration',
  version: 2,
  family: 'vehicle',
  countries: ['TR'],
  title: 'Turkish vehicle registration number',
  gate: { kind: 'digits', least: 2, reach: 12 },
  // One of 81 provinces, one to three letters, two to four digits. After a single letter there can be five digits.
  patterns: [
    {
      regex: token(
        '(?:0[1-9]|[1-7]\\d|8[01])(?:(?:[ -]?[A-Z]{1,3}[ -]?)\\d{2,4}|(?:[ -]?[A-Z][ -]?)\\d{5})',
        'i',
      ),
      context: 'required',
    },
  ],
  context: ['plaka', 'plakasi', 'plakali', 'plaka no', 'arac', 'araba', 'otomobil', 'ruhsat', ...VEHICLE],
  confidence: COMMON_SHAPE,
  examples: {
    hits: ['plaka 34 ABC 123', 'plaka 34 abc 123', 'plaka 34-ABC-123', 'araç 06 JK 4567', 'vehicle 81A1234'],
    misses: [
      '34 ABC 123',
      'plaka 00 ABC 123',
      'plaka 82 AB 123',
      'plaka 34 ABCD 12',
      'plaka 82 abc 123',
      'plaka 62 FR 13968',
    ],
  },
});

/** These formats are common elsewhere, so a context word is required. */
export const vehicleRegistration = defineDetector({
  id: 'vehicle_registration',
  version: 2,
  family: 'vehicle',
  title: 'Vehicle registration number of India, Nigeria, France, Italy, Spain or the Netherlands',
  gate: { kind: 'digits', least: 2, reach: 14 },
  patterns: [
    // India: state, district and series, and the series that is valid in all states.
    {
      regex: token(
        '(?:A[NPRS]|BR|C[GH]|D[DLN]|G[AJ]|H[PR]|J[HK]|K[AL]|L[AD]|M[HLNPZ]|NL|O[DR]|P[BY]|RJ|SK|T[GNRS]|U[AKP]|WB)[ -]?\\d{1,2}[ -]?[A-Z]{0,3}[ -]?\\d{4}|\\d{2}[ -]?BH[ -]?\\d{4}[ -]?[A-Z]{1,2}',
        'i',
      ),
      context: 'required',
    },
    // Nigeria; France and Italy.
    { regex: token('[A-Z]{3}[ -]?\\d{3}[ -]?[A-Z]{2}', 'i'), context: 'required' },
    { regex: token('[A-HJ-NP-TV-Z]{2}([ -]?)\\d{3}\\1[A-HJ-NP-TV-Z]{2}', 'i'), context: 'required' },
    // Spain: no vowels. The Netherlands: three groups, one or two of which are digits.
    { regex: token('\\d{4}[ -]?[B-DF-HJ-NPR-TV-Z]{3}', 'i'), context: 'required' },
    // Before 2000 (Spain), and before 1993 and 2009 (France).
    { regex: token('[A-Z]{1,2}-\\d{4}-[A-Z]{1,2}', 'i'), context: 'required' },
    { regex: token('\\d{1,4} [A-HJ-NP-TV-Z]{2,3} (?:\\d{2}|2[AB]|97[1-6])'), context: 'required' },
    {
      regex: token(
        '(?:[A-Z]{2}-\\d{2}|\\d{2}-[A-Z]{2})-(?:[A-Z]{2}|\\d{2})|(?:\\d{2}-[A-Z]{3}-\\d|\\d-[A-Z]{3}-\\d{2}|[A-Z]-\\d{3}-[A-Z]{2}|[A-Z]{2}-\\d{3}-[A-Z])',
        'i',
      ),
      context: 'required',
    },
  ],
  context: [
    ...VEHICLE,
    ...['bike', 'motorbike', 'plaque', 'plaque d immatriculation', 'immatriculation', 'vehicule', 'voiture'],
    ...['targa', 'veicolo', 'automobile', 'matricula', 'coche', 'vehiculo', 'kenteken', 'voertuig', 'auto'],
  ],
  confidence: COMMON_SHAPE,
  examples: {
    hits: [
      "bike's registration number is OD02BA2341",
      'plate number KJA-512PZ',
      'immatriculation AB-123-CD',
      'targa GE 318 KP',
      'matrícula 4821 KLM',
      'kenteken 12-GHB-3',
      'kenteken 12-ghb-3',
      'plate kja-512pz',
      'bike registration od 02 ba 2341',
      'vehicle 22 BH 4719 AA',
      'plaque 4719 QX 75',
      'coche M-4719-XY',
    ],
    misses: ['OD02BA2341', 'plate ZZ02BA2341', 'plate 123-456AB', 'matrícula 4821 AEI', 'targa GI 318 KP'],
  },
});
