import { createHash } from 'node:crypto';
import validator from 'validator';
import { token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Base58Check (Bitcoin wiki): 25 bytes, of which the last four are the start of the double SHA-256 of the others. */
function isBase58Check(address: string): boolean {
  let value = 0n;
  for (const character of address) value = value * 58n + BigInt(BASE58.indexOf(character));
  const bytes = Buffer.from(value.toString(16).padStart(50, '0'), 'hex');
  if (bytes.length !== 25) return false;
  const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest();
  return sha256(sha256(bytes.subarray(0, 21)))
    .subarray(0, 4)
    .equals(bytes.subarray(21));
}

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const;

/** The checksum of BIP 173 (constant 1) or BIP 350 (the other constant) over the prefix `bc` and the data. */
function isBech32(address: string): boolean {
  let sum = 1;
  const step = (value: number) => {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    GENERATOR.forEach((generator, i) => {
      if ((top >>> i) & 1) sum ^= generator;
    });
  };
  // The expanded prefix `bc`: high bits, a zero, low bits.
  for (const value of [3, 3, 0, 2, 3]) step(value);
  for (const character of address.toLowerCase().slice(3)) step(BECH32.indexOf(character));
  return sum === 1 || sum === 0x2bc830a3;
}

function judge(match: string): Verdict {
  const passes = /^bc1/i.test(match) ? isBech32(match) : isBase58Check(match);
  return passes ? 'checksum' : 'no';
}

export const bitcoinAddress = defineDetector({
  id: 'bitcoin_address',
  version: 2,
  family: 'crypto',
  title: 'Bitcoin address',
  randomMatch: 2 ** -32,
  gate: { kind: 'digits', least: 1, reach: 92 },
  patterns: [
    { regex: token('[13][1-9A-HJ-NP-Za-km-z]{25,34}'), context: 'optional' },
    { regex: token('bc1[02-9ac-hj-np-z]{11,71}|BC1[02-9AC-HJ-NP-Z]{11,71}'), context: 'optional' },
  ],
  context: [
    'bitcoin',
    'btc',
    'wallet',
    'address',
    'satoshi',
    'xbt',
    'brieftasche',
    'portefeuille',
    'cartera',
  ],
  judge,
  examples: {
    hits: [
      'wallet 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
      '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    ],
    misses: [
      '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3',
      'x1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp',
      '1234567890123456789012345678901234',
    ],
  },
});

/** The case of a mixed-case address is a checksum (EIP-55) that needs Keccak. It is not verified, so a match is a shape. */
export const ethereumAddress = defineDetector({
  id: 'ethereum_address',
  version: 1,
  family: 'crypto',
  title: 'Ethereum address',
  gate: { kind: 'literals', literals: ['0x'], reach: 44 },
  patterns: [{ regex: token('0x[0-9a-fA-F]{40}'), context: 'optional' }],
  context: ['ethereum', 'eth', 'ether', 'wallet', 'address', 'erc20', 'contract', 'token'],
  judge: (match) => (validator.isEthereumAddress(match) && !/^0x0+$/.test(match) ? 'shape' : 'no'),
  confidence: { pattern: 0.7, context: 0.9 },
  examples: {
    hits: ['0x52908400098527886E0F7030069857D2E4169EE7', 'eth: 0xde709f2102306220921060314715629080e2fb77'],
    misses: [
      '0x0000000000000000000000000000000000000000',
      '0x52908400098527886E0F7030069857D2E4169EE',
      '0x52908400098527886E0F7030069857D2E4169EE77',
    ],
  },
});
