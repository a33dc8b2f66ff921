import type { Clock } from '../../kernel/clock.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import type { GraphCall, GraphFailure, GraphOutcome } from '../../kernel/vocabulary.ts';
import { throwIfAborted } from '../abort.ts';
import { ConnectorError } from '../connector.ts';
import type { TokenSource } from '../entra-tokens.ts';
import { ALLOWED_CALLS, type CallShape } from './allowed-calls.ts';
import type { CallEnd, CallGate, CallPriority } from './call-gate.ts';
import { isPathOf } from './call-path.ts';
import { contentAddress } from './follow-link.ts';
import type { GraphCloud } from './graph-cloud.ts';
import { CutOff, errorCodes, orCutOff, readAtMost, Unread } from './read-body.ts';
import { isThrottling, type NoAnswer } from './retry.ts';

/** Counts an answer by call and outcome, and the two that ask to wait. */
export type CountCall = (call: GraphCall, outcome: GraphOutcome, throttled: '429' | '503' | null) => void;

export type TransportParts = {
  cloud: GraphCloud;
  tokens: TokenSource;
  gate: CallGate;
  priority: CallPriority;
  clock: Clock;
  /** Whether this is the remediation identity, which alone may assign labels. */
  writesLabels: boolean;
  /** The mailboxes that the configuration lists. None without it. */
  mailboxes?: readonly string[];
  count: CountCall;
};

export type Outgoing = {
  call: Exclude<GraphCall, 'token'>;
  method: CallShape['method'];
  url: URL;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
};

/** An answer. `body` is of 2xx only. */
export type Came<T> = {
  kind: 'status';
  status: number;
  location: string | null;
  retryAfterMs: number | null;
  codes: readonly string[];
  body: T | undefined;
};

export type Exchange = <T>(
  outgoing: Outgoing,
  read: (response: Response) => Promise<T>,
  signal: AbortSignal,
  /** What an answer that was taken says of single parts of it. */
  endOf?: (body: T) => CallEnd,
) => Promise<Came<T> | NoAnswer>;

/** Microsoft asks that traffic names its origin, and throttles what does so later. */
const USER_AGENT = 'NONISV|DataGovernance|DataGovernanceService/1.0';
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * The only way out to Microsoft 365. Whatever is given, only an allowed call leaves for Graph, with the bearer, and only
 * a `GET` leaves for a content host, without it. No redirect is followed. Throws `ConnectorError` if the call is not
 * allowed, the signal fires, or there is no token or no permit.
 */
export const createTransport = (parts: TransportParts): Exchange => {
  const { tokens, gate, priority, clock, count } = parts;

  const once: Exchange = async (outgoing, read, signal, endOf) => {
    const token = isContent(outgoing.call) ? null : await tokens.token(signal);
    const came = await exchange(outgoing, read, signal, endOf, token);
    if (token === null || came.kind !== 'status' || came.status !== 401) return came;
    return exchange(outgoing, read, signal, endOf, await tokens.token(signal, token));
  };

  const exchange = async <T>(
    { call, method, url, headers, body, timeoutMs }: Outgoing,
    read: (response: Response) => Promise<T>,
    signal: AbortSignal,
    endOf: ((body: T) => CallEnd) | undefined,
    token: string | null,
  ): Promise<Came<T> | NoAnswer> => {
    const permit = await gate.enter(priority, signal);
    const timeout = AbortSignal.timeout(timeoutMs);
    let end: CallEnd = { kind: 'answered' };
    let hasStatus = false;
    try {
      const request = {
        method,
        headers: {
          'User-Agent': USER_AGENT,
          ...headers,
          ...(token !== null && { Authorization: `Bearer ${token}` }),
        },
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
        ...(body !== undefined && { body }),
      } as const;
      const response = await orCutOff(fetch(url, request));
      hasStatus = true;
      count(call, outcomeOf(response.status), throttlingOf(response.status));
      const came = await taken(response, read, clock());
      if (came.body !== undefined && endOf !== undefined) end = endOf(came.body);
      if (isThrottling(came.status)) end = { kind: 'throttled', retryAfterMs: came.retryAfterMs };
      return came;
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof Unread || error instanceof CutOff)) throw error;
      const reason: GraphFailure =
        error instanceof Unread ? error.reason : timeout.aborted ? 'timeout' : 'unreachable';
      if (!hasStatus) count(call, 'no_answer', null);
      return { kind: 'no_answer', reason };
    } finally {
      permit.leave(end);
    }
  };

  return async (outgoing, read, signal, endOf) => {
    if (!isAllowed(parts, outgoing))
      throw new ConnectorError('permanent', `graph_${outgoing.call}_not_allowed`);
    return once(outgoing, read, signal, endOf);
  };
};

/** Whether the call goes to an address outside Graph. */
export const isContent = (call: Outgoing['call']): call is 'download' | 'monitor' =>
  call === 'download' || call === 'monitor';

function isAllowed(
  { cloud, writesLabels, mailboxes = [] }: TransportParts,
  { call, method, url }: Outgoing,
): boolean {
  if (isContent(call)) return method === 'GET' && contentAddress(cloud, call, url.href).href === url.href;
  const shape = ALLOWED_CALLS[call];
  return (
    url.origin === cloud.graphOrigin &&
    url.username === '' &&
    url.password === '' &&
    method === shape.method &&
    (shape.ofMailbox === true
      ? mailboxes.some((mailbox) => isPathOf(call, { mailbox }, url.pathname))
      : isPathOf(call, {}, url.pathname)) &&
    (shape.writesLabels !== true || writesLabels)
  );
}

function noneIfUnread(error: unknown): Uint8Array {
  if (!(error instanceof Unread || error instanceof CutOff)) throw error;
  return new Uint8Array();
}

async function taken<T>(
  response: Response,
  read: (response: Response) => Promise<T>,
  now: number,
): Promise<Came<T>> {
  const { status, headers, ok } = response;
  const answer = {
    kind: 'status',
    status,
    location: headers.get('location'),
    retryAfterMs: retryAfterMs(headers.get('retry-after'), now),
  } as const;
  if (ok) return { ...answer, codes: [], body: await read(response) };
  // What the error says besides its codes is of no use, so a body that cannot be read is none.
  const bytes = await readAtMost(response, MAX_ERROR_BYTES).catch(noneIfUnread);
  return { ...answer, codes: errorCodes(bytes), body: undefined };
}

export const outcomeOf = (status: number): GraphOutcome =>
  status >= 500 ? '5xx' : status >= 400 ? '4xx' : status >= 300 ? '3xx' : '2xx';

export const throttlingOf = (status: number): '429' | '503' | null =>
  isThrottling(status) ? (status === 429 ? '429' : '503') : null;
