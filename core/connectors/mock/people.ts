import { words } from '../../kernel/words.ts';
import { dayOf } from './identifiers.ts';
import type { Random } from './random.ts';

export type Person = { name: string; email: string; street: string; city: string };

const GIVEN = [
  'Anna',
  'Bruno',
  'Clara',
  'David',
  'Elif',
  'Farid',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
  'Katya',
  'Liam',
  'Mira',
  'Nadia',
  'Oscar',
  'Paula',
  'Quentin',
  'Rosa',
  'Samir',
  'Teresa',
  'Ulrich',
  'Vera',
  'William',
  'Yara',
] as const;
const FAMILY = [
  'Albrecht',
  'Bernard',
  'Castillo',
  'Dubois',
  'Eriksen',
  'Fischer',
  'Garcia',
  'Hoffmann',
  'Ivanova',
  'Jansen',
  'Keller',
  'Lambert',
  'Moreau',
  'Novak',
  'Ortega',
  'Petersen',
  'Roche',
  'Schneider',
  'Torres',
  'Walker',
  'Zimmer',
] as const;
const STREETS = [
  'Harbour Road',
  'Lindenstrasse',
  'Rue des Lilas',
  'Calle Mayor',
  'Mill Lane',
  'Station Street',
] as const;
const CITIES = ['Bremen', 'Leeds', 'Lyon', 'Valencia', 'Hamburg', 'Bristol', 'Nantes', 'Bilbao'] as const;

export const COMPANY = 'Nordwind Instruments';

/** Every name that `person` gives, in the order of the alphabet. */
export const NAMES: readonly string[] = GIVEN.flatMap((given) =>
  FAMILY.map((family) => `${given} ${family}`),
);

export const emailOf = (name: string, domain = 'nordwind.example'): string =>
  `${words(name).join('.')}@${domain}`;

export function person(r: Random, domain?: string): Person {
  const name = `${r.pick(GIVEN)} ${r.pick(FAMILY)}`;
  return {
    name,
    email: emailOf(name, domain),
    street: `${r.pick(STREETS)} ${r.int(1, 140)}`,
    city: r.pick(CITIES),
  };
}

const CUSTOMERS = [
  'Aldgate Water Ltd',
  'Brauhaus Keller GmbH',
  'Cantera del Norte S.L.',
  'Delta Dairy plc',
  'Ferme Solaire SARL',
  'Hanse Logistik AG',
  'Kestrel Pharma Ltd',
  'Molinos Reunidos S.A.',
  'Papierwerk Süd GmbH',
  'Tidewater Energy plc',
] as const;
const SUPPLIERS = [
  'Baltic Castings',
  'Copperline Electronics',
  'Elbe Präzision GmbH',
  'Forge & Sons Ltd',
  'Optique Rhône SARL',
] as const;
const PRODUCTS = [
  'NW-100 pressure sensor',
  'NW-220 flow meter',
  'NW-310 level probe',
  'NW-450 gateway',
  'NW-500 vibration monitor',
] as const;

export const customer = (r: Random) => r.pick(CUSTOMERS);
export const supplier = (r: Random) => r.pick(SUPPLIERS);
export const product = (r: Random) => r.pick(PRODUCTS);
export const recently = (r: Random) => dayOf(r, 2025);

/** An amount with two decimals, in multiples of a tenth of `low`. */
export const money = (r: Random, low: number, high: number) =>
  (r.int(low * 10, high * 10) / 10).toLocaleString('en-GB', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
