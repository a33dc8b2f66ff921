import { isIP } from 'node:net';
import { defineDetector, type Verdict } from './detector.ts';
import { token } from './token.ts';

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d{2}|[1-9]?\\d)';
/** Loopback, unspecified, broadcast, and the blocks that documentation uses. */
const RESERVED = /^(?:0\.|127\.|255\.255\.255\.255|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)/;
/** `1.2.3.4` and the like are versions and section numbers more often than hosts. */
const SMALL = /^(?:\d\.){3}\d$/;

const CONTEXT = [
  ...[
    'ip',
    'ips',
    'ipv4',
    'ipv6',
    'ip address',
    'address',
    'host',
    'server',
    'client',
    'gateway',
    'subnet',
    'dns',
  ],
  ...[
    'firewall',
    'ping',
    'remote',
    'addr',
    'netmask',
    'router',
    'vpn',
    'adresse',
    'ip adresse',
    'adresse ip',
  ],
  ...['direccion ip', 'indirizzo ip', 'endereco ip', 'ip adres', 'adres ip', 'serveur', 'servidor', 'serwer'],
];

export const ipv4Address = defineDetector({
  id: 'ipv4_address',
  version: 2,
  family: 'network',
  title: 'IPv4 address',
  gate: { kind: 'digits', least: 4, reach: 20 },
  patterns: [
    // Not the tail of an IPv6 address.
    {
      regex: token(`(?<!:[0-9A-Fa-f]{0,4}:)(?:${OCTET}\\.){3}${OCTET}(?:/(?:3[0-2]|[12]?\\d))?`),
      context: 'optional',
    },
    { regex: /(?<=\bhttps?:\/\/)(?:\d{1,3}\.){3}\d{1,3}(?=[:/])/g, context: 'optional' },
  ],
  context: CONTEXT,
  judge: (match): Verdict => {
    const address = match.replace(/\/.*$/, '');
    if (isIP(address) !== 4) return 'no';
    return RESERVED.test(address) || SMALL.test(address) ? 'sample' : 'shape';
  },
  confidence: { pattern: 0.6, context: 0.8 },
  examples: {
    hits: [
      'getting address 86.231.85.193 blocked',
      '10.218.6.0/24',
      'ping 127.0.0.1',
      'http://192.168.10.5:8080/',
    ],
    misses: ['256.1.1.1', '1.2.3', '86.231.85.193.7', 'v10.20.30.40', '086.231.85.193'],
  },
});

/** `a::b` is an address by the letter and a scope operator in source code, so short forms must look routable. */
function judgeIpv6(match: string): Verdict {
  const address = match.replace(/[%/].*$/, '');
  if (isIP(address) !== 6) return 'no';
  if (/^::1?$|^2001:db8:/i.test(address)) return 'sample';
  const groups = address.split(':').filter((group) => group !== '');
  if (!address.includes('::')) return 'shape';
  const routable = /^(?:[23][0-9a-f]{3}|f[cdef][0-9a-f]{2}|64:ff9b)/i.test(address);
  const digits = groups.some((group) => /\d/.test(group));
  return routable || (digits && (groups.length >= 3 || address.startsWith('::'))) ? 'shape' : 'no';
}

export const ipv6Address = defineDetector({
  id: 'ipv6_address',
  version: 2,
  family: 'network',
  title: 'IPv6 address',
  // Rarer in a text than digits are: a colon before another one or before a group.
  gate: {
    kind: 'literals',
    literals: Array.from(':0123456789abcdefABCDEF', (next) => `:${next}`),
    reach: 66,
  },
  patterns: [
    {
      // Must not end in a single colon: that one belongs to the sentence.
      regex:
        /(?<![A-Za-z0-9_:.])(?:[0-9A-Fa-f]{0,4}:){2,8}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{1,4})?(?<![^:]:)(?:%[A-Za-z0-9]{1,15})?(?:\/\d{1,3})?(?![A-Za-z0-9_]|:[0-9A-Fa-f:]|\.\d)/g,
      context: 'optional',
    },
  ],
  context: CONTEXT,
  judge: judgeIpv6,
  confidence: { pattern: 0.8, context: 0.9 },
  examples: {
    hits: [
      'd80:e4b5:79da:6cf6:71f3:51f7:9161:c319',
      'fe80::1ff:fe23:4567:890a%eth2',
      '2001:db8::8a2e:370:7334',
      '::ffff:192.0.2.128',
      'embedded ::10.1.2.3',
      '1:2:3:4:5:6:7::',
    ],
    misses: ['12:34:56', 'std::vector1', 'a::b1', '1:2:3:4:5:6:7:8:9', '00:1a:2b:3c:4d:5e'],
  },
});
