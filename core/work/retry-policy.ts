import type { RetryClass } from '../kernel/vocabulary.ts';

const BASE_MS = 500;
const TERMINAL: ReadonlySet<RetryClass> = new Set(['unsupported', 'corrupt', 'policy_denied', 'permanent']);

export type NextStep = { kind: 'dead' } | { kind: 'retry'; delayMs: number };

/**
 * What follows a failed attempt, after the specification's table: terminal classes and spent attempts are dead,
 * `throttled` backs off linearly, everything else exponentially. A source that asked for more time gets it.
 */
export function nextStep(
  retryClass: RetryClass,
  attempt: number,
  maxAttempts: number,
  retryAfterMs: number | null,
): NextStep {
  if (TERMINAL.has(retryClass) || attempt >= maxAttempts) return { kind: 'dead' };
  const backoff = retryClass === 'throttled' ? BASE_MS * 8 * attempt : BASE_MS * 2 ** (attempt - 1);
  return { kind: 'retry', delayMs: Math.max(backoff, retryAfterMs ?? 0) };
}
