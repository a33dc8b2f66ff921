import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
const VALUES = '0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ';

/** North American numbers have a check digit in the ninth position. Other numbers can have any character there. */
function judge(match: string): Verdict {
  const number = compact(match);
  if (!/\d/.test(number) || !/[A-Z].*[A-Z]/.test(number) || /(.)\1{6}/.test(number)) return 'no';
  const sum = WEIGHTS.reduce(
    (total, weight, i) => total + weight * (VALUES.indexOf(number.charAt(i)) % 10),
    0,
  );
  const check = sum % 11 === 10 ? 'X' : String(sum % 11);
  return number[8] === check ? 'checksum' : 'shape';
}

export const vin = defineDetector({
  id: 'vin',
  version: 2,
  family: 'vehicle',
  title: 'Vehicle identification number',
  randomMatch: 1 / 20,
  gate: { kind: 'digits', least: 4, reach: 22 },
  patterns: [
    { regex: token('[A-HJ-NPR-Z0-9]{13}\\d{4}'), context: 'unless_checksum' },
    { regex: token('[A-HJ-NPR-Z0-9]{13}\\d{4}', 'i'), context: 'required' },
  ],
  context: [
    ...['vin', 'vehicle', 'vehicle identification', 'chassis', 'car', 'fahrgestellnummer', 'fahrzeug'],
    ...['fahrzeugidentifikationsnummer', 'fin', 'chassis number', 'vehicule', 'numero de serie', 'bastidor'],
    ...[
      'vehiculo',
      'telaio',
      'veicolo',
      'chassi',
      'veiculo',
      'chassisnummer',
      'voertuig',
      'pojazd',
      'pojazdu',
    ],
  ],
  judge,
  confidence: { context: 0.75 },
  examples: {
    hits: [
      'VIN 1HGCM82633A004352',
      '1M8GDM9AXKP042788',
      'Fahrgestellnummer WVWZZZ1JZXW000001',
      'vin wvwzzz1jzxw000001',
    ],
    misses: [
      'WVWZZZ1JZXW000001',
      '1hgcm82633a004352',
      'VIN 1HGCM82633A00435',
      'VIN 1HGCM82633A0043521',
      'VIN 12345678901234567',
      '1HGCM82633A004353',
    ],
  },
});
