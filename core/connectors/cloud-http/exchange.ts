import type { Clock } from '../../kernel/clock.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import type { CallFailureReason, CallOutcome } from '../../kernel/vocabulary.ts';
import { throwIfAborted } from '../abort.ts';
import { ConnectorError } from '../connector.ts';
import type { CallEnd, CallGate, CallPriority } from './call-gate.ts';
import { CutOff, orCutOff, readError, Unread } from './read-body.ts';
import type { NoAnswer } from './retry.ts';
import type { Outgoing, SourceRules } from './source-rules.ts';
import type { TokenSource } from './token-source.ts';

export type ExchangeParts = {
  tokens: TokenSource;
  gate: CallGate;
  priority: CallPriority;
  clock: Clock;
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
  { tokens, gate, priority, clock }: ExchangeParts,
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
    let hasStatus = false;
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
      hasStatus = true;
      rules.count(call, response.status);
      const came = await taken(rules, response, read, clock());
      if (came.body !== undefined && endOf !== undefined) end = endOf(came.body);
      if (rules.isThrottling(came.status, came.codes))
        end = { kind: 'throttled', retryAfterMs: came.retryAfterMs };
      return came;
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof Unread || error instanceof CutOff)) throw error;
      const reason: CallFailureReason =
        error instanceof Unread ? error.reason : timeout.aborted ? 'timeout' : 'unreachable';
      if (!hasStatus) rules.count(call, null);
      return { kind: 'no_answer', reason };
    } finally {
      permit.leave(end);
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
  return { ...answer, codes: codesIn(await readError(response)), body: undefined };
}

export const outcomeOf = (status: number): CallOutcome =>
  status >= 500 ? '5xx' : status >= 400 ? '4xx' : status >= 300 ? '3xx' : '2xx';
