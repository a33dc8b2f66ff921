import validator from 'validator';
import { defineDetector, type Verdict } from './detector.ts';

const NOT_WORD_BEFORE = '(?<![A-Za-z0-9_-])';
const NOT_WORD_AFTER = '(?![A-Za-z0-9_-])';

/** Bits per character: what tells a random key from a word. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** What stands where a secret would: `<password>`, `${SECRET}`, `your_key_here`, `****`. */
const PLACEHOLDER =
  /^(?:[<{[$%].*|\*+|x+|.*(?:your|example|placeholder|changeme|redacted|dummy|password|secret).*)$/i;

export const privateKey = defineDetector({
  id: 'private_key',
  version: 1,
  family: 'secret',
  title: 'Private key',
  gate: { kind: 'literals', literals: ['PRIVATE KEY'], reach: 48 },
  patterns: [{ regex: /-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----/g, context: 'optional' }],
  context: [],
  confidence: { pattern: 0.98 },
  examples: {
    hits: [
      '-----BEGIN PRIVATE KEY-----\nMIIE',
      '-----BEGIN RSA PRIVATE KEY-----',
      '-----BEGIN PGP PRIVATE KEY BLOCK-----',
    ],
    misses: ['-----BEGIN PUBLIC KEY-----', '-----END PRIVATE KEY-----', 'keep your PRIVATE KEY safe'],
  },
});

export const jsonWebToken = defineDetector({
  id: 'json_web_token',
  version: 1,
  family: 'secret',
  title: 'JSON web token',
  gate: { kind: 'literals', literals: ['eyJ'], reach: 4_200 },
  patterns: [
    {
      regex: new RegExp(
        `${NOT_WORD_BEFORE}eyJ[A-Za-z0-9_-]{8,1000}\\.eyJ[A-Za-z0-9_-]{8,1000}\\.[A-Za-z0-9_-]{16,1000}${NOT_WORD_AFTER}`,
        'g',
      ),
      context: 'optional',
    },
  ],
  context: ['bearer', 'token', 'jwt', 'authorization', 'id token', 'access token'],
  judge: (match) => (validator.isJWT(match) ? 'shape' : 'no'),
  confidence: { pattern: 0.95, context: 0.98 },
  examples: {
    hits: ['Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLXRva2Vu'],
    misses: [
      'eyJhbGciOiJIUzI1NiJ9',
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0',
      'xeyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLXRva2Vu',
    ],
  },
});

/** Issuers who give their keys a prefix, so that the shape alone says what it is. */
const ISSUED_KEYS: readonly [prefix: string, rest: string][] = [
  ['AKIA', '[A-Z2-7]{16}'],
  ['ASIA', '[A-Z2-7]{16}'],
  ['AIza', '[A-Za-z0-9_-]{35}'],
  ['ghp_', '[A-Za-z0-9]{36}'],
  ['gho_', '[A-Za-z0-9]{36}'],
  ['ghs_', '[A-Za-z0-9]{36}'],
  ['github_pat_', '[A-Za-z0-9_]{60,90}'],
  ['glpat-', '[A-Za-z0-9_-]{20,40}'],
  ['sk_live_', '[A-Za-z0-9]{16,99}'],
  ['rk_live_', '[A-Za-z0-9]{16,99}'],
  ['sk-proj-', '[A-Za-z0-9_-]{32,200}'],
  ['sk-ant-', '[A-Za-z0-9_-]{32,200}'],
  ['xoxb-', '[A-Za-z0-9-]{20,90}'],
  ['xoxp-', '[A-Za-z0-9-]{20,90}'],
  ['SG.', '[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}'],
  ['npm_', '[A-Za-z0-9]{36}'],
];

export const issuedKey = defineDetector({
  id: 'api_key',
  version: 1,
  family: 'secret',
  title: 'API key with a known prefix',
  gate: { kind: 'literals', literals: ISSUED_KEYS.map(([prefix]) => prefix), reach: 220 },
  patterns: [
    {
      regex: new RegExp(
        `${NOT_WORD_BEFORE}(?:${ISSUED_KEYS.map(([prefix, rest]) => prefix.replace('.', '\\.') + rest).join('|')})${NOT_WORD_AFTER}`,
        'g',
      ),
      context: 'optional',
    },
  ],
  context: [],
  judge: (match): Verdict => {
    if (/EXAMPLE$/.test(match)) return 'sample';
    return entropy(match) >= 3 ? 'shape' : 'no';
  },
  confidence: { pattern: 0.95 },
  examples: {
    hits: [
      'aws_access_key_id = AKIAQYLPMN5HFIQR7XYA',
      'AKIAIOSFODNN7EXAMPLE',
      `token ghp_${'a1B2c3D4e5F6'.repeat(3)}`,
    ],
    misses: ['AKIA', 'AKIAAAAAAAAAAAAAAAAA', 'XAKIAQYLPMN5HFIQR7XYA', 'AKIAQYLPMN5HFIQR7XYAZZ', 'SGX.abc'],
  },
});

export const assignedSecret = defineDetector({
  id: 'assigned_secret',
  version: 1,
  family: 'secret',
  title: 'Secret in a setting',
  gate: { kind: 'digits', least: 2, reach: 200 },
  patterns: [
    {
      regex:
        /(?<=(?:api[_-]?key|secret|access[_-]?key|auth[_-]?token|access[_-]?token|client[_-]?secret|private[_-]?token)["']?[ \t]{0,3}(?:=|:|=>)[ \t]{0,3}["']?)[A-Za-z0-9_+/.~-]{16,128}={0,2}(?![A-Za-z0-9_+/.~=-])/gi,
      context: 'optional',
    },
  ],
  context: [],
  judge: (match) =>
    /\d/.test(match) && /[A-Za-z]/.test(match) && entropy(match) >= 3.2 && !PLACEHOLDER.test(match)
      ? 'shape'
      : 'no',
  confidence: { pattern: 0.8 },
  examples: {
    hits: [
      "api_key = 'q8Zr51mXk02LpVt7Yw9s'",
      'CLIENT_SECRET: Zk8~9sDf.23kLmQ0pXv7',
      '"secret":"9f86d081884c7d659a2feaa0c55ad015"',
    ],
    misses: [
      'api_key = your_example_key_1234',
      'secret: aaaaaaaaaaaaaaaaaaaa1',
      'the secret of 1234567890123456',
      'api_key = short1',
    ],
  },
});

export const connectionPassword = defineDetector({
  id: 'connection_password',
  version: 1,
  family: 'secret',
  title: 'Password in a connection string or setting',
  gate: {
    kind: 'literals',
    literals: ['assword', 'ASSWORD', 'pwd', 'Pwd', 'PWD', 'asswort', 'ccountKey', 'SharedAccessKey', '://'],
    reach: 220,
  },
  patterns: [
    {
      regex:
        /(?<=(?<![A-Za-z])(?:password|passwort|pwd|accountkey|sharedaccesskey)["']?[ \t]{0,2}[=:][ \t]{0,2}["']?)[^\s"';,]{4,128}/gi,
      context: 'optional',
    },
    {
      regex: /(?<=[a-z][a-z0-9+.-]{1,15}:\/\/[^\s:@/"']{1,64}:)[^\s:@/"']{3,64}(?=@[A-Za-z0-9.-])/g,
      context: 'optional',
    },
  ],
  context: [],
  judge: (match) => (PLACEHOLDER.test(match) || !/[^a-z]/.test(match) ? 'no' : 'shape'),
  confidence: { pattern: 0.85 },
  examples: {
    hits: [
      'Server=db;User Id=sa;Password=Tr0ub4dor&3;',
      'postgres://app:s3cr3tPw@db.internal/app',
      'AccountKey=Zm9vYmFyMTIzNDU2Nzg5MA==;',
    ],
    misses: [
      'Password=<password>',
      'password: required',
      'https://example.com/a:b@c',
      'Pwd=****;',
      'password reset 12345',
    ],
  },
});
