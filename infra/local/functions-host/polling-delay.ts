import { setTimeout as sleep } from 'node:timers/promises';

const MIN_DELAY_MS = 100;

/**
 * The delay after the n-th consecutive empty poll (from 0): random exponential back-off from 100 ms up to `maxMs`.
 * @param random in [0, 1)
 */
export function pollingDelay(emptyPolls: number, maxMs: number, random: number): number {
  if (emptyPolls === 0) return Math.min(MIN_DELAY_MS, maxMs);
  const increment = (0.8 + 0.4 * random) * 2 ** Math.min(emptyPolls - 1, 30) * MIN_DELAY_MS;
  return Math.min(MIN_DELAY_MS + increment, maxMs);
}

/** Waits between polls. Each wait ends when `signal` aborts. */
export function createPollingDelay(maxMs: number, signal: AbortSignal) {
  let emptyPolls = 0;
  return {
    reset: () => {
      emptyPolls = 0;
    },
    async afterNothing(): Promise<void> {
      const ms = pollingDelay(emptyPolls, maxMs, Math.random());
      emptyPolls += 1;
      await sleep(ms, undefined, { signal }).catch(() => undefined);
    },
  };
}
