import { once } from 'node:events';
import { createPool } from '../../core/db/pool.ts';
import { newId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { createWorker } from '../../core/work/worker.ts';
import { announce, taskOfParent } from '../support/child.ts';
import type { DrainTask } from './queue.ts';

/** The number of doorbells that a host answers at once. */
const DRAINS = 2;

const { url } = await taskOfParent<DrainTask>();
const db = createPool(url, { max: DRAINS * 2, applicationName: 'bench' });
const stop = new AbortController();
const worker = createWorker({
  owner: newId('wrk', Date.now()),
  db,
  clock: Date.now,
  log: createLogger({ level: 'error', clock: Date.now }),
  metrics: createMetrics(),
  doorbell: null,
  handlers: { rescore_asset: () => Promise.resolve({}) },
  concurrency: 64,
  leaseBatch: 1_000,
});
announce({}, async () => {
  stop.abort();
  await worker.idle();
  await db.close();
});
await once(process, 'message');
await Promise.all(Array.from({ length: DRAINS }, () => worker.drain(60_000, stop.signal)));
