import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../observability/log.ts';
import type { Worker } from './worker.ts';

/**
 * The fleet is swept once per this many ticks. The interval is measured in time, because a busy worker does not tick.
 */
const SWEEP_TICKS = 20;
const AFTER_FAILURE_MS = 5_000;

/**
 * Works without a queue until `signal` aborts: drains, and looks again after a tick if there was nothing to do. A
 * drain has no time limit, because the next one would have to wait for its slowest unit. Sweeps the fleet in
 * parallel. Failures do not end the loop, because a database may become reachable again.
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
  /** Repeats `act` after the number of milliseconds that it returns. */
  const repeat = async (act: () => Promise<number>) => {
    while (!signal.aborted) {
      const waitMs = await act().catch((error: unknown) => {
        // Failures during shutdown are expected, because connections are closed.
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
