import type { RetryClass } from '../kernel/vocabulary.ts';

const BASE_MS = 500;
const TERMINAL: ReadonlySet<RetryClass> = new Set(['unsupported', 'corrupt', 'policy_denied', 'permanent']);
/** However long a source asks for, a unit is tried again after a day. */
export const LONGEST_ASKED_MS = 24 * 60 * 60 * 1_000;

export type NextStep = { kind: 'dead' } | { kind: 'retry'; delayMs: number };

/**
 * What follows a failed attempt, after the specification's table (Work unit, Retry classes): terminal classes and spent
 * attempts are dead, `throttled` backs off linearly, everything else exponentially. A source that asked for more time
 * gets it, up to a day; what it asked that is no time counts as nothing.
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
  // Not a number compares as false.
  const asked = retryAfterMs !== null && retryAfterMs > 0 ? Math.min(retryAfterMs, LONGEST_ASKED_MS) : 0;
  return { kind: 'retry', delayMs: Math.max(backoff, asked) };
}
