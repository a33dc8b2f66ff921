import type { CallFailureReason } from '../../kernel/vocabulary.ts';
import { ConnectorError } from '../connector.ts';
import type { SourceRules } from './source-rules.ts';

/** Specification, "Limits". */
const THROTTLED_TRIES = 5;
export const LONGEST_SLEEP_MS = 30_000;
/** Other failures repeat in the queue, with more patience. */
const FAILED_TRIES = 3;
const BACKOFF_MS = 1_000;

export type NoAnswer = { kind: 'no_answer'; reason: CallFailureReason };

/** How a call failed: by its status, or without an answer. */
export type CallFailure =
  | { kind: 'status'; status: number; retryAfterMs: number | null; codes?: readonly string[] }
  | NoAnswer;

export type NextTry = { kind: 'again'; afterMs: number } | { kind: 'failed'; error: ConnectorError };

/** The rules of a source by which its calls are repeated and their errors named. */
export type RetryRules<C extends string> = Pick<
  SourceRules<C>,
  'source' | 'isOnce' | 'isThrottling' | 'retryClassOf' | 'refusesAll'
>;

/** The two statuses that ask to wait, whatever the source. */
export const isThrottlingStatus = (status: number | null): status is 429 | 503 =>
  status === 429 || status === 503;

/**
 * What follows a failed call. What asks to wait is repeated as long as the wait is within bounds. Other failures of the
 * server or the network are repeated if the call can be made twice.
 * @param tried calls that were made, from 1
 * @param once whether the call must not be made twice
 * @param random from 0 to 1: spreads waits that nobody asked for
 */
export function nextTry<C extends string>(
  rules: Omit<RetryRules<C>, 'isOnce'>,
  call: C,
  failure: CallFailure,
  { tried, once, random }: { tried: number; once: boolean; random: number },
): NextTry {
  const backoff = Math.min(LONGEST_SLEEP_MS, BACKOFF_MS * 2 ** (tried - 1)) * (0.5 + random / 2);
  if (failure.kind === 'status' && rules.isThrottling(failure.status, failure.codes ?? [])) {
    const afterMs = failure.retryAfterMs ?? backoff;
    return tried >= THROTTLED_TRIES || afterMs > LONGEST_SLEEP_MS
      ? { kind: 'failed', error: throttledOut(failure.retryAfterMs) }
      : { kind: 'again', afterMs };
  }
  return isPassing(failure) && !once && tried < FAILED_TRIES
    ? { kind: 'again', afterMs: backoff }
    : { kind: 'failed', error: failedCall(rules, call, failure) };
}

const isPassing = (failure: CallFailure): boolean =>
  failure.kind === 'status'
    ? failure.status === 408 || failure.status >= 500
    : // A call that timed out has already taken long.
      failure.reason === 'unreachable';

/** The end of retries. The work unit runs again when the source allows it, or after the ordinary back-off. */
export const throttledOut = (retryAfterMs: number | null): ConnectorError =>
  new ConnectorError('throttled', 'throttled_retries_exhausted', retryAfterMs);

/** The error that a failed call ends with. */
export function failedCall<C extends string>(
  { source, retryClassOf, refusesAll }: Pick<RetryRules<C>, 'source' | 'retryClassOf' | 'refusesAll'>,
  call: C,
  failure: CallFailure,
): ConnectorError {
  if (failure.kind === 'status') {
    const { status, codes = [], retryAfterMs } = failure;
    const whole = refusesAll?.(call, status, codes) ?? null;
    const retryClass = whole?.retryClass ?? retryClassOf(status, codes);
    return new ConnectorError(retryClass, `${source}_${call}_${whole?.reason ?? status}`, retryAfterMs);
  }
  const retryClass = failure.reason === 'too_large' ? 'permanent' : 'transient';
  return new ConnectorError(retryClass, `${source}_${call}_${failure.reason}`);
}
