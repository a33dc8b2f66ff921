import { z } from 'zod';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import { untilAborted } from '../abort.ts';
import type { CallEnd } from '../cloud-http/call-gate.ts';
import { type Came, countEnd, type Exchange } from '../cloud-http/exchange.ts';
import { readJson, Unread } from '../cloud-http/read-body.ts';
import { failedCall, isThrottlingStatus, type NoAnswer } from '../cloud-http/retry.ts';
import { ConnectorError } from '../connector.ts';
import { ALLOWED_CALLS } from './allowed-calls.ts';
import { codesIn } from './error-codes.ts';
import { GRAPH_RETRIES, isContent, type TransportCall } from './graph-rules.ts';
import type { Outgoing, TransportParts } from './transport.ts';

/** Microsoft's limit. */
const MOST = 20;
/** Short beside a round trip, and long enough for the work units of a process to meet. */
const JOIN_MS = 10;

type Result = Came<unknown> | NoAnswer;
type Waiting = {
  request: Outgoing;
  signal: AbortSignal;
  settle: (result: Promise<Result>) => void;
};

const Entry = z.object({
  id: z.coerce.string(),
  status: z.int().min(100).max(599),
  headers: z.record(z.string(), z.unknown()).nullish().catch(null),
  body: z.unknown().optional(),
});
/** An entry that cannot be read leaves its call without an answer, and the others with theirs. */
const Entries = z.object({ responses: z.array(Entry.nullable().catch(null)).max(MOST) });
type Entry = z.infer<typeof Entry>;

/**
 * Makes a function that joins calls that are made within a moment. A call that nobody joins leaves alone. Throws
 * `ConnectorError` if the call writes, or if the source refuses the batch as a whole.
 */
export function createBatch(
  { cloud, clock, count }: TransportParts,
  exchange: Exchange<TransportCall>,
): (request: Outgoing, signal: AbortSignal) => Promise<Result> {
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  const together = (joined: readonly Waiting[]) => {
    const done = new AbortController();
    const sent = exchange(
      toBatch(cloud.graphOrigin, joined),
      readEntries,
      whenAll(
        joined.map(({ signal }) => signal),
        done.signal,
      ),
      (entries) => endOf(entries, clock()),
    );
    for (const [at, { request, settle }] of joined.entries()) {
      settle(
        sent.then((came) => {
          const result = resultOf(came, String(at), clock());
          if (came.kind === 'status' && came.body !== undefined && result.kind === 'status')
            countEnd(count, request.call, result.status, isThrottlingStatus(result.status));
          return result;
        }),
      );
    }
    sent.finally(() => done.abort()).catch(() => undefined);
  };

  const leave = () => {
    clearTimeout(timer);
    timer = undefined;
    const joined = waiting.filter(({ signal }) => !signal.aborted);
    waiting = [];
    const [first] = joined;
    if (first !== undefined && joined.length === 1)
      first.settle(exchange(first.request, readJson, first.signal));
    else if (joined.length > 1) together(joined);
  };

  return (request, signal) => {
    if (!isBatchable(request)) throw new ConnectorError('permanent', `graph_${request.call}_not_allowed`);
    const { promise, resolve } = Promise.withResolvers<Result>();
    waiting.push({ request, signal, settle: resolve });
    if (waiting.length >= MOST) leave();
    else timer ??= setTimeout(leave, JOIN_MS);
    return untilAborted(signal, () => promise);
  };
}

/**
 * Reads without a body of their own. A content is answered by an address, which is better asked for alone. Calls of a
 * mailbox count one by one at Exchange, and the transport looks at each.
 */
const isBatchable = ({ call, method }: Outgoing): boolean =>
  call === 'labels_extract' ||
  (method === 'GET' && call !== 'content' && !isContent(call) && ALLOWED_CALLS[call].ofMailbox !== true);

const toBatch = (graphOrigin: string, joined: readonly Waiting[]): Outgoing => ({
  call: 'batch',
  method: 'POST',
  url: new URL('/v1.0/$batch', graphOrigin),
  headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  body: JSON.stringify({
    requests: joined.map(({ request: { method, url, headers } }, at) => ({
      id: String(at),
      method,
      url: `${url.pathname.replace(/^\/v1\.0/, '')}${url.search}`,
      headers,
    })),
  }),
  timeoutMs: Math.max(...joined.map(({ request }) => request.timeoutMs)),
});

async function readEntries(response: Response): Promise<Entry[]> {
  const parsed = Entries.safeParse(await readJson(response));
  if (!parsed.success) throw new Unread('malformed');
  return parsed.data.responses.filter((entry) => entry !== null);
}

/** The result of one entry. What was asked of the whole batch holds for each of them. */
function resultOf(came: Came<Entry[]> | NoAnswer, id: string, now: number): Result {
  if (came.kind === 'no_answer') return came;
  const entry = came.body?.find((each) => each.id === id);
  if (entry !== undefined) return toCame(entry, now);
  if (came.status < 300) return { kind: 'no_answer', reason: 'malformed' };
  // The caller expects statuses of its own call, and must not take that of the batch for one.
  if (came.status < 500 && !isThrottlingStatus(came.status)) throw failedCall(GRAPH_RETRIES, 'batch', came);
  return { ...came, body: undefined };
}

function toCame({ status, headers, body }: Entry, now: number): Came<unknown> {
  return {
    kind: 'status',
    status,
    location: headerOf(headers, 'location'),
    retryAfterMs: retryAfterMs(headerOf(headers, 'retry-after'), now),
    codes: status >= 300 ? codesIn(body) : [],
    body,
  };
}

function headerOf(headers: Entry['headers'], name: string): string | null {
  const [, value] = Object.entries(headers ?? {}).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** A batch in which one call was asked to wait was asked so as a whole, for as long as the longest of them. */
function endOf(entries: readonly Entry[], now: number): CallEnd {
  const throttled = entries
    .filter(({ status }) => isThrottlingStatus(status))
    .map((entry) => toCame(entry, now));
  if (throttled.length === 0) return { kind: 'answered' };
  const asked = throttled.flatMap((entry) => (entry.retryAfterMs === null ? [] : [entry.retryAfterMs]));
  return { kind: 'throttled', retryAfterMs: asked.length === 0 ? null : Math.max(...asked) };
}

/** Fires when all of them have. `until` ends the watch. */
function whenAll(signals: readonly AbortSignal[], until: AbortSignal): AbortSignal {
  const all = new AbortController();
  let left = signals.length;
  const fired = () => {
    left--;
    if (left === 0) all.abort();
  };
  for (const signal of signals) signal.addEventListener('abort', fired, { once: true, signal: until });
  return all.signal;
}
