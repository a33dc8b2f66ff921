import { isIP } from 'node:net';
import { token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';
import { NO_VERSION } from '../engine/other-numbers.ts';

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d{2}|[1-9]?\\d)';
/** Loopback, unspecified and broadcast addresses, and the blocks for documentation. */
const RESERVED = /^(?:0\.|127\.|255\.255\.255\.255|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)/;
/** Single digits, such as `1.2.3.4`, are more often versions and section numbers than hosts. */
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
  version: 4,
  family: 'network',
  title: 'IPv4 address',
  gate: { kind: 'digits', least: 4, reach: 40 },
  patterns: [
    // Not the end of an IPv6 address.
    {
      regex: token(
        `${NO_VERSION}(?<!:[0-9A-F]{0,4}:)(?:${OCTET}\\.){3}${OCTET}(?:/(?:3[0-2]|[12]?\\d))?`,
        'i',
      ),
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
    misses: [
      '256.1.1.1',
      '1.2.3',
      '86.231.85.193.7',
      'v10.20.30.40',
      '086.231.85.193',
      'release 4.12.0.1',
      'Version: 10.20.30.40',
      'see section 12.3.4.5',
      '§ 4.2.1.3',
      'nach § 14.2.10.3 und §§ 4.12.1.3',
      'clause 14.2.10.3',
    ],
  },
});

/** RFC 4291. Loopback and unspecified addresses and the blocks for documentation (RFC 3849, RFC 9637) are samples. */
function judgeIpv6(match: string): Verdict {
  const address = match.replace(/[%/].*$/, '');
  if (isIP(address) !== 6) return 'no';
  return /^::1?$|^2001:0?db8:|^3fff:0?[0-9a-f]{0,3}:/i.test(address) ? 'sample' : 'shape';
}

/**
 * What distinguishes an address from a scope operator in source code, such as `a::b`: eight groups, a routable
 * prefix, or digits and several groups.
 */
const UNMISTAKABLE = [
  '(?:[0-9A-Fa-f]{1,4}:){6}',
  '[23][0-9A-Fa-f]{3}:',
  '[Ff][CcDdEeFf][0-9A-Fa-f]{2}:',
  '64:ff9b:',
  '::[0-9A-Fa-f:.]{0,38}\\d',
  '(?=[A-Fa-f:]{0,12}\\d)(?:[0-9A-Fa-f]{1,4}::?){2}[0-9A-Fa-f]',
].join('|');
const ADDRESS = '(?:[0-9A-Fa-f]{0,4}:){2,8}(?:(?:\\d{1,3}\\.){3}\\d{1,3}|[0-9A-Fa-f]{1,4})?(?<![^:]:)';
/** The zone (RFC 4007, or as in RFC 6874) and the prefix length. */
const BEHIND =
  '(?:%[A-Za-z0-9](?:(?:[A-Za-z0-9_~-]|\\.(?=\\d)){0,14}[A-Za-z0-9])?)?(?:/\\d{1,3})?(?![A-Za-z0-9_]|:[0-9A-Fa-f:]|\\.\\d)';
/** An address can also follow a name and a colon: `addr:fe80::1`, `[IPv6:fe80::1]` (RFC 5321). */
const BEFORE = '(?:(?<![A-Za-z0-9_:.])|(?<=[G-Zg-z]:)(?!:)|(?<=[Ii][Pp][Vv]6:))';

export const ipv6Address = defineDetector({
  id: 'ipv6_address',
  version: 4,
  family: 'network',
  title: 'IPv6 address',
  // A colon before another colon or a group is rarer in texts than digits are.
  gate: {
    kind: 'literals',
    literals: Array.from(':0123456789abcdefABCDEF', (next) => `:${next}`),
    reach: 66,
  },
  patterns: [
    // Must not end with a single colon, which belongs to the sentence.
    { regex: new RegExp(`${BEFORE}(?=${UNMISTAKABLE})${ADDRESS}${BEHIND}`, 'g'), context: 'optional' },
    { regex: new RegExp(`${BEFORE}(?!${UNMISTAKABLE})${ADDRESS}${BEHIND}`, 'g'), context: 'required' },
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
      '[fd12:4719:28a1::17]:8443',
      'fd12:4719:28a1::/48',
      'ff02::4719%pvc2.7',
      'http://[fe80::4719%25en0.2]/',
      'Received: from [IPv6:2a02:4719::17]',
      'inet6 addr:fe80::4719',
      'IPv6 ::',
      'ipv6 1::',
      '64:ff9b::10.4.7.19',
    ],
    misses: [
      '12:34:56',
      'std::vector1',
      'a::b1',
      '1:2:3:4:5:6:7:8:9',
      '00:1a:2b:3c:4d:5e',
      '::',
      '1::',
      'ipv6 std::vector1',
      'ipv6 1:2:3',
    ],
  },
});
