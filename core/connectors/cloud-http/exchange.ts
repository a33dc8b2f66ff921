import type { Clock } from '../../kernel/clock.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import {
  type CallFailureReason,
  type CallOutcome,
  SOURCE_THROTTLINGS,
  type SourceThrottling,
} from '../../kernel/vocabulary.ts';
import { throwIfAborted } from '../abort.ts';
import { ConnectorError } from '../connector.ts';
import type { CallEnd, CallGate, CallPriority } from './call-gate.ts';
import { CutOff, isCode, orCutOff, readError, Unread } from './read-body.ts';
import type { NoAnswer } from './retry.ts';
import type { Outgoing, SourceRules } from './source-rules.ts';
import type { TokenSource } from './token-source.ts';

/** Counts a call by how it ended, and by its status if that asked to wait. */
export type CountCall<C extends string> = (
  call: C,
  outcome: CallOutcome,
  throttled: SourceThrottling | null,
) => void;

export type ExchangeParts<C extends string> = {
  tokens: TokenSource;
  gate: CallGate;
  priority: CallPriority;
  clock: Clock;
  count: CountCall<C>;
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

export type Exchange<C extends string> = <T>(
  outgoing: Outgoing<C>,
  read: (response: Response) => Promise<T>,
  signal: AbortSignal,
  /** What an answer that was taken says of single parts of it. */
  endOf?: (body: T) => CallEnd,
) => Promise<Came<T> | NoAnswer>;

/**
 * The only way out to a source. Whatever is given, only an allowed call leaves, with the bearer where it goes to the
 * source's own host, and without it elsewhere. No redirect is followed. Throws `ConnectorError` if the call is not allowed,
 * the signal fires, or there is no token or no permit.
 */
export const createExchange = <C extends string>(
  rules: SourceRules<C>,
  { tokens, gate, priority, clock, count }: ExchangeParts<C>,
): Exchange<C> => {
  const send = async <T>(
    { call, method, url, headers, body, timeoutMs }: Outgoing<C>,
    read: (response: Response) => Promise<T>,
    signal: AbortSignal,
    endOf: ((body: T) => CallEnd) | undefined,
    token: string | null,
  ): Promise<Came<T> | NoAnswer> => {
    const permit = await gate.enter(priority, signal);
    const timeout = AbortSignal.timeout(timeoutMs);
    let end: CallEnd = { kind: 'answered' };
    let ended: { status: number | null; asksToWait: boolean } | null = null;
    try {
      const request = {
        method,
        headers: {
          'User-Agent': rules.userAgent,
          ...headers,
          ...(token !== null && { Authorization: `Bearer ${token}` }),
        },
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
        ...(body !== undefined && { body }),
      } as const;
      const response = await orCutOff(fetch(url, request));
      ended = { status: response.status, asksToWait: false };
      const came = await taken(rules, response, read, clock());
      if (came.body !== undefined && endOf !== undefined) end = endOf(came.body);
      if (rules.isThrottling(came.status, came.codes)) {
        end = { kind: 'throttled', retryAfterMs: came.retryAfterMs };
        ended.asksToWait = true;
      }
      return came;
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof Unread || error instanceof CutOff)) throw error;
      const reason: CallFailureReason =
        error instanceof Unread ? error.reason : timeout.aborted ? 'timeout' : 'unreachable';
      ended ??= { status: null, asksToWait: false };
      return { kind: 'no_answer', reason };
    } finally {
      permit.leave(end);
      if (ended !== null) countEnd(count, call, ended.status, ended.asksToWait);
    }
  };

  return async (outgoing, read, signal, endOf) => {
    if (!rules.isAllowed(outgoing))
      throw new ConnectorError('permanent', `${rules.source}_${outgoing.call}_not_allowed`);
    const token = rules.isElsewhere(outgoing.call) ? null : await tokens.token(signal);
    const came = await send(outgoing, read, signal, endOf, token);
    if (token === null || came.kind !== 'status' || came.status !== 401) return came;
    return send(outgoing, read, signal, endOf, await tokens.token(signal, token));
  };
};

async function taken<T>(
  { codesIn }: Pick<SourceRules<string>, 'codesIn'>,
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
  const codes = [...codesIn(await readError(response)), ...bearerErrorIn(headers)];
  return { ...answer, codes, body: undefined };
}

/** The error of a refused bearer, which some answers name in this header alone (RFC 6750, 3). */
function bearerErrorIn(headers: Headers): string[] {
  const error = /\berror="([^"]*)"/.exec(headers.get('www-authenticate') ?? '')?.[1];
  return isCode(error) ? [error] : [];
}

/** @param status null if there was no answer */
export const countEnd = <C extends string>(
  count: CountCall<C>,
  call: C,
  status: number | null,
  asksToWait: boolean,
): void =>
  count(
    call,
    status === null ? 'no_answer' : outcomeOf(status),
    (asksToWait && SOURCE_THROTTLINGS.find((each) => each === String(status))) || null,
  );

const outcomeOf = (status: number): CallOutcome =>
  status >= 500 ? '5xx' : status >= 400 ? '4xx' : status >= 300 ? '3xx' : '2xx';
