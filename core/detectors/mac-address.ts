import validator from 'validator';
import { defineDetector, type Verdict } from './detector.ts';
import { token } from './token.ts';

const PAIR = '[0-9A-Fa-f]{2}';
const QUAD = '[0-9A-Fa-f]{4}';
/** All zeros, and the address that every station hears. */
const NOBODY = /^(?:0+|f+)$/i;

function judge(match: string): Verdict {
  if (!validator.isMACAddress(match)) return 'no';
  return NOBODY.test(match.replace(/[^0-9a-f]/gi, '')) ? 'no' : 'shape';
}

export const macAddress = defineDetector({
  id: 'mac_address',
  version: 1,
  family: 'device',
  title: 'MAC address',
  gate: { kind: 'digits', least: 1, reach: 18 },
  patterns: [
    { regex: token(`(?<![:-])${PAIR}([:-])${PAIR}(?:\\1${PAIR}){4}(?![:-])`), context: 'optional' },
    { regex: token(`${QUAD}\\.${QUAD}\\.${QUAD}`), context: 'optional' },
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
    ...['adres mac'],
  ],
  judge,
  confidence: { pattern: 0.75, context: 0.9 },
  examples: {
    hits: ['0a:1b:f5:67:89:ac', 'ether 00-1C-2B-3D-4D-5E up', 'Cisco 0012.3456.789b', 'AA-BB-CC-DD-EE-F0'],
    misses: [
      'ff:ff:ff:ff:ff:ff',
      '10:2F:33-AC-29-C3',
      '0a:1b:f5:67:89',
      '0a:1b:f5:67:89:ac:12',
      '12.34.56.78.90.12',
    ],
  },
});
