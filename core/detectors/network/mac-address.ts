import { token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

const PAIR = '[0-9A-Fa-f]{2}';
const QUAD = '[0-9A-Fa-f]{4}';
const SIX = '[0-9A-Fa-f]{6}';
/** All zeros, and the broadcast address. */
const NOBODY = /^(?:0+|f+)$/i;

/** An address may have no digit. Then a pair of letters and a separator open the gate. */
const LETTERS = [...'ABCDEFabcdef'].flatMap((letter) => [`${letter}:`, `${letter}-`]);

/** 48 or 64 bits (EUI-64). The patterns define the notations. */
const judge = (match: string): Verdict => (NOBODY.test(match.replace(/[^0-9a-f]/gi, '')) ? 'no' : 'shape');

export const macAddress = defineDetector({
  id: 'mac_address',
  version: 4,
  family: 'device',
  title: 'MAC address',
  gate: { kind: 'digits', least: 1, reach: 26 },
  // IEEE 802 (hyphens), RFC 7042 (also colons), EUI-64, and the groups of four and six digits of switch vendors.
  patterns: [
    {
      regex: token(`(?<![:-])${PAIR}([:-])${PAIR}(?:\\1${PAIR}){4}(?:(?:\\1${PAIR}){2})?(?![:-])`),
      context: 'optional',
    },
    {
      regex: token('(?<![:-])(?=[A-Fa-f])[A-Fa-f]{2}([:-])(?:[A-Fa-f]{2}\\1){4}[A-Fa-f]{2}(?![:-])'),
      context: 'optional',
      gate: { kind: 'literals', literals: LETTERS, reach: 20 },
    },
    { regex: token(`(?<![0-9A-Fa-f]\\.)${QUAD}\\.${QUAD}\\.${QUAD}`), context: 'optional' },
    { regex: token(`${QUAD}(?:\\.${QUAD}){3}`), context: 'required' },
    {
      regex: token(`(?<![:-])(?:${QUAD}([:-])${QUAD}\\1${QUAD}(?:\\1${QUAD})?|${SIX}[:-]${SIX})(?![:-])`),
      context: 'required',
    },
    {
      regex: token(`${PAIR}(?: ${PAIR}){5}(?:(?: ${PAIR}){2})?|(?=\\d{0,11}[A-Fa-f])${SIX}${SIX}`),
      context: 'required',
    },
  ],
  context: [
    ...['mac', 'mac address', 'hardware address', 'physical address', 'ethernet', 'bssid', 'wlan', 'wifi'],
    ...[
      'hwaddr',
      'mac adresse',
      'adresse mac',
      'direccion mac',
      'indirizzo mac',
      'endereco mac',
      'mac adres',
    ],
    ...['adres mac', 'eui', 'eui 64', 'eui 48', 'mac id', 'mac addr', 'macaddress', 'nic', 'lladdr', 'dhcp'],
  ],
  judge,
  confidence: { pattern: 0.75, context: 0.9 },
  examples: {
    hits: [
      '0a:1b:f5:67:89:ac',
      'ether 00-1C-2B-3D-4D-5E up',
      'Cisco 0012.3456.789b',
      'AA-BB-CC-DD-EE-F0',
      'AA:BB:CC:DD:EE:FF',
      'be-ef-ca-fe-ba-be',
      'MAC 001c2b3d4d5e',
      'mac address 00 1c 2b 3d 4d 5e',
      'MAC 001c-2b3d-4d5e',
      'MAC 001c2b-3d4d5e',
      '02:1c:2b:ff:fe:3d:4d:5e',
      'EUI-64 02-1C-2B-FF-FE-3D-4D-5E',
      'eui 021c.2bff.fe3d.4d5e',
    ],
    misses: [
      'ff:ff:ff:ff:ff:ff',
      '10:2F:33-AC-29-C3',
      'AA:BB-CC:DD:EE:FF',
      'add-be-ef-ca-fe-ba-be',
      '0a:1b:f5:67:89',
      '0a:1b:f5:67:89:ac:12',
      '12.34.56.78.90.12',
      '001c2b3d4d5e',
      '00 1c 2b 3d 4d 5e',
      'mac 001c2b3d4d5e0',
      'mac 000000000000',
    ],
  },
});
