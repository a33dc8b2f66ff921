import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Detector } from '../../core/detectors/detector.ts';
import { havePeers } from '../support/peers.ts';
import type { TypedSpan } from './score.ts';

/** A package or method for the same task. */
export type Peer = {
  name: string;
  /** The kinds of values that it supports. */
  types: readonly string[];
  find: (text: string) => TypedSpan[];
  /** Runs the whole task over a text, for timing. */
  run: (text: string) => void;
};

/** The placeholders that each package writes, with the name of the kind here. Null if the kind is not scored. */
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

/** Loads the redacting packages of `bench/package.json`. Empty if they cannot be installed. */
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
 * A redactor returns a text without spans. What was between the remaining pieces is what it removed. Of several ways
 * to align the pieces, this takes the one with the shortest first values.
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

/** Runs every pattern over the whole text, one after the other, without checksums and context. */
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
