import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Detector } from '../../core/detectors/detector.ts';
import { havePeers } from '../support/peers.ts';
import type { TypedSpan } from './score.ts';

/** A package, or a way, that does the same job. */
export type Peer = {
  name: string;
  /** The kinds of value that it claims to know. */
  types: readonly string[];
  find: (text: string) => TypedSpan[];
  /** The whole job over a text, for time. */
  run: (text: string) => void;
};

/** What each writes in the place of what it takes out, and our name of that kind; null where it is not scored. */
const REDACT_PII_NAMES = {
  CREDIT_CARD_NUMBER: 'CREDIT_CARD',
  EMAIL_ADDRESS: 'EMAIL_ADDRESS',
  IP_ADDRESS: 'IP_ADDRESS',
  PERSON_NAME: 'PERSON',
  PHONE_NUMBER: 'PHONE_NUMBER',
  STREET_ADDRESS: 'STREET_ADDRESS',
  US_SOCIAL_SECURITY_NUMBER: 'US_SSN',
  CREDENTIALS: null,
  DIGITS: null,
  PASSWORD: null,
  URL: null,
  USERNAME: null,
  ZIPCODE: null,
} as const;
const REDACTPII_NODE_NAMES = {
  CREDIT_CARD_NUMBER: 'CREDIT_CARD',
  EMAIL_ADDRESS: 'EMAIL_ADDRESS',
  PERSON_NAME: 'PERSON',
  PHONE_NUMBER: 'PHONE_NUMBER',
  US_SOCIAL_SECURITY_NUMBER: 'US_SSN',
} as const;

type Redactor = { redact: (text: string) => string };
type RedactPii = { SyncRedactor: new () => Redactor };
type RedactpiiNode = { Redactor: new () => Redactor };

/** The packages of `bench/package.json` that redact; none where they cannot be installed. */
export async function loadPeers(smoke: boolean): Promise<Peer[]> {
  if (!(await havePeers(smoke))) return [];
  const require = createRequire(new URL('../package.json', import.meta.url));
  const { SyncRedactor } = require('redact-pii') as RedactPii;
  const { Redactor } = (await import(
    pathToFileURL(require.resolve('@redactpii/node')).href
  )) as RedactpiiNode;
  return [
    peerOf('redact-pii', new SyncRedactor(), REDACT_PII_NAMES),
    peerOf('@redactpii/node', new Redactor(), REDACTPII_NODE_NAMES),
  ];
}

function peerOf(name: string, redactor: Redactor, typeOfName: Readonly<Record<string, string | null>>): Peer {
  const find = (text: string) => spansOfRedacted(text, redactor.redact(text), typeOfName);
  const types = Object.values(typeOfName).filter((type) => type !== null);
  return { name, types, find, run: (text) => void redactor.redact(text) };
}

/**
 * A redactor returns a text, not spans: what stood between the pieces that it left is what it took out. Of several
 * ways to lay the pieces over the text, the one in which the first values are the shortest is taken.
 */
function spansOfRedacted(
  text: string,
  redacted: string,
  typeOfName: Readonly<Record<string, string | null>>,
): TypedSpan[] {
  const pieces = redacted.split(new RegExp(`(${Object.keys(typeOfName).join('|')})`));
  const source = pieces.map((piece, i) => (i % 2 === 0 ? literal(piece) : '([\\s\\S]+?)')).join('');
  const match = new RegExp(`^${source}$`, 'd').exec(text);
  return (match?.indices ?? []).slice(1).flatMap((range, i) => {
    const type = typeOfName[pieces[2 * i + 1] ?? ''] ?? null;
    return type === null || range === undefined ? [] : [{ type, start: range[0], end: range[1] }];
  });
}

const literal = (text: string) => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/** Every pattern of ours over the whole text, one after the other, and nothing else: no checksum, no context. */
export function plainLoop(detectors: readonly Detector[]): Pick<Peer, 'name' | 'run'> & { patterns: number } {
  const patterns = detectors.flatMap((detector) =>
    'patterns' in detector ? detector.patterns.map(({ regex }) => regex) : [],
  );
  return {
    name: 'plain RegExps',
    patterns: patterns.length,
    run: (text) => {
      for (const regex of patterns) for (const _ of text.matchAll(regex));
    },
  };
}
