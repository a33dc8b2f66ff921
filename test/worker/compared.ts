import { firstDifference, withoutProcess } from '../support/shown-answers.ts';
import { exchange, type WireAnswer, type WireRequest } from './exchange.ts';

/** What a group of comparisons found. */
export type Outcome = { readonly tried: number; readonly differences: readonly string[] };

/** Where the same request is sent: to the worker, and to the local host. */
export type Pair = { readonly worker: string; readonly local: string };

/** Of the connection and of the moment, not of the service. */
const LEFT_OUT = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-ms-invocation-id',
]);

/** An answer without what differs from request to request. */
function comparable(answer: WireAnswer | null): string {
  if (answer === null) return 'no answer';
  const { status, headers, body } = answer;
  const lines = Object.entries(headers)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}: ${value}`)
    .sort();
  return withoutProcess([status, ...lines, body].join('\n'))
    .replace(...TAG)
    .replace(...AGE)
    .replace(...CORRELATION)
    .replace(...SECRET)
    .replace(TIME, (quoted, time) => (isNow(Date.parse(time)) ? '"<now>"' : quoted));
}

/** A hash over the body, with all of it that is left out here. */
const TAG = [/^etag: W\/"[\w-]{27}"$/m, 'etag: <tag>'] as const;

/** Ages at the moment of the request, and how long the requests of a log took. */
const AGE = [/"(\w+AgeMs|durationMs)":\d+/g, '"$1":0'] as const;
const CORRELATION = [/\bcor_[0-9a-hjkmnp-tv-z]{26}\b/g, '<correlation>'] as const;
/** Session tokens. */
const SECRET = [/\b[\w-]{43}\b/g, '<secret>'] as const;
/** Within the hour of this run. The data are older, apart from what the scan has stamped. */
const TIME = /"(\d{4}-\d\d-\d\dT[^"]*)"/g;
const STARTED = Date.now();
const isNow = (time: number) => time >= STARTED && time < STARTED + 3_600_000;

/** Sends each request to both, one after the other. */
export async function compare(
  pair: Pair,
  requests: Iterable<{ readonly what: string; readonly request: WireRequest }>,
): Promise<Outcome> {
  const differences: string[] = [];
  let tried = 0;
  for (const { what, request } of requests) {
    tried += 1;
    const worker = comparable(await exchange(pair.worker, request));
    const local = comparable(await exchange(pair.local, request));
    if (worker !== local)
      differences.push(`${what}: ${firstDifference(worker, local).replaceAll('\n', ' | ')}`);
  }
  return { tried, differences };
}
