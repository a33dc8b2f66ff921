import { once } from 'node:events';
import { createPool } from '../../core/db/pool.ts';
import { newId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { UnitFailure } from '../../core/work/failure.ts';
import { withLeasedTx } from '../../core/work/leased-tx.ts';
import type { UnitHandler } from '../../core/work/unit.ts';
import { createWorker } from '../../core/work/worker.ts';
import { chaosHandler } from './chaos.ts';
import { leaveEffect } from './work-truth.ts';

/**
 * A worker in its own process, to be killed or paused: `node worker-process.ts URL CLOCK_OFFSET_MS MODE`. It prints
 * `started`, and `settled` when nothing is left to do.
 * MODE `chaos`: units behave as their acts say. `slow`: units print `begun` and wait in the middle until the process
 * receives a line. It prints `refused` for those that are then refused. `failing`: the same, but some units fail
 * permanently in the end.
 */
const [url = '', offset = '0', mode = 'chaos'] = process.argv.slice(2);
const clock = () => Date.now() + Number(offset);
const db = createPool(url, { max: 4, applicationName: 'worker-process' });
const say = (word: string) => process.stdout.write(`${word}\n`);

const sent = mode === 'chaos' ? undefined : once(process.stdin, 'data');

/** Units that wait alternately before and after their effect. */
const slow: UnitHandler = async (unit) => {
  const { n } = unit.payload as { n: number };
  const leave = () =>
    withLeasedTx(db, unit, (tx) => leaveEffect(tx, unit)).catch((error: unknown) => {
      if (error instanceof UnitFailure && error.safeDiagnostic === 'lease_lost') say('refused');
      throw error;
    });
  if (n % 3 === 1) await leave();
  say('begun');
  await sent;
  if (mode === 'failing' && n % 3 === 2) throw new UnitFailure('permanent', 'scope_gone');
  if (n % 3 !== 1) await leave();
  return { observe: 'computed' };
};

const worker = createWorker({
  owner: newId('wrk', clock()),
  db,
  clock,
  log: createLogger({ level: 'error', clock }),
  metrics: createMetrics(),
  doorbell: null,
  concurrency: 4,
  handlers: { process_asset: mode === 'chaos' ? chaosHandler(db, clock) : slow },
});
say('started');
await worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);
say('settled');
process.exit(0);
