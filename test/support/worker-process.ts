import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '../../core/db/pool.ts';
import { newId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { createWorker } from '../../core/work/worker.ts';

/**
 * A worker in a process of its own, to be killed: `node worker-process.ts URL CLOCK_OFFSET_MS`. Its units take a few
 * milliseconds; it says `settled` when nothing is left for it.
 */
const [url = '', offset = '0'] = process.argv.slice(2);
const clock = () => Date.now() + Number(offset);
const worker = createWorker({
  owner: newId('wrk', clock()),
  db: createPool(url, { max: 4, applicationName: 'worker-process' }),
  clock,
  log: createLogger({ level: 'error', clock }),
  metrics: createMetrics(),
  doorbell: null,
  concurrency: 4,
  handlers: {
    process_asset: async () => {
      await sleep(3);
      return { observe: 'computed' };
    },
  },
});
process.stdout.write('started\n');
await worker.drain(60_000, new AbortController().signal);
process.stdout.write('settled\n');
process.exit(0);
