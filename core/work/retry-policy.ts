import type { RetryClass } from '../kernel/vocabulary.ts';

const BASE_MS = 500;
const TERMINAL: ReadonlySet<RetryClass> = new Set(['unsupported', 'corrupt', 'policy_denied', 'permanent']);
/** Upper limit of the delay that a source may ask for. */
export const LONGEST_ASKED_MS = 24 * 60 * 60 * 1_000;

export type NextStep = { kind: 'dead' } | { kind: 'retry'; delayMs: number };

/**
 * What follows a failed attempt (specification, "Work unit", "Retry classes"). Terminal classes and spent attempts
 * are dead. `throttled` backs off linearly, all other classes exponentially. A longer delay that the source asks for
 * is used, up to a day.
 * @param attempt from 1
 */
export function nextStep(
  retryClass: RetryClass,
  attempt: number,
  maxAttempts: number,
  retryAfterMs: number | null,
): NextStep {
  if (TERMINAL.has(retryClass) || attempt >= maxAttempts) return { kind: 'dead' };
  const backoff = retryClass === 'throttled' ? BASE_MS * 8 * attempt : BASE_MS * 2 ** (attempt - 1);
  // The comparison is false for NaN, which then counts as 0.
  const asked = retryAfterMs !== null && retryAfterMs > 0 ? Math.min(retryAfterMs, LONGEST_ASKED_MS) : 0;
  return { kind: 'retry', delayMs: Math.max(backoff, asked) };
}
