import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../observability/log.ts';
import type { Worker } from './worker.ts';

/** The fleet is swept once in so many ticks, by time: a busy worker does not tick. */
const SWEEP_TICKS = 20;
const AFTER_FAILURE_MS = 5_000;

/**
 * Works without a queue until `signal` aborts: drains, and looks again a tick later where there was nothing to do. One
 * drain may last for ever: another one would have to wait for its slowest unit.
 * Sweeps the fleet beside it. Nothing that fails ends it; a database that is gone may come back.
 */
export async function runWorkerLoop({
  worker,
  sweep,
  log,
  tickMs,
  signal,
}: {
  worker: Pick<Worker, 'drain'>;
  sweep: () => Promise<void>;
  log: Logger;
  tickMs: number;
  signal: AbortSignal;
}): Promise<void> {
  /** Runs `act` again and again, after the milliseconds that it asks for. */
  const repeat = async (act: () => Promise<number>) => {
    while (!signal.aborted) {
      const waitMs = await act().catch((error: unknown) => {
        // While it ends, what is closed under it fails.
        if (!signal.aborted) log.error('worker_loop_failed', {}, error);
        return AFTER_FAILURE_MS;
      });
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  };
  await Promise.all([
    repeat(async () => ((await worker.drain(Number.POSITIVE_INFINITY, signal)) > 0 ? 0 : tickMs)),
    repeat(async () => {
      await sweep();
      return SWEEP_TICKS * tickMs;
    }),
  ]);
}
