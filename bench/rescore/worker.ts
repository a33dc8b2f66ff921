import { Session } from 'node:inspector/promises';
import { types } from 'pg';
import { mockAiProvider } from '../../core/ai/mock.ts';
import { loadConfig } from '../../core/config/config.ts';
import { createPool } from '../../core/db/pool.ts';
import { newId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import type { AnalysisPool } from '../../core/scan/analysis-pool.ts';
import { scanHandlers } from '../../core/scan/scan-handlers.ts';
import { createWorker } from '../../core/work/worker.ts';
import { runWorkerLoop } from '../../core/work/worker-loop.ts';
import { announce, taskOfParent } from '../support/child.ts';
import { sharesOf } from './shares.ts';

export type WorkerTask = { url: string };
/** The answer to any message: what the process did with its processor time, as shares of all of it. */
export type WorkerShares = Record<string, number>;

const TICK_MS = 100;
const SAMPLE_EVERY_US = 2_000;

/** A function of its own, so that a profile shows its time. */
function parseJson(text: string): unknown {
  return JSON.parse(text);
}
for (const type of [types.builtins.JSON, types.builtins.JSONB]) types.setTypeParser(type, parseJson);

/** Whoever asks for a source or a file fails. */
const refuse = (what: string) => (): never => {
  throw new Error(`A rescore called ${what}`);
};
const untouched: AnalysisPool = {
  extract: refuse('the extraction'),
  stats: refuse('the extraction'),
  close: () => Promise.resolve(),
};

const { url } = await taskOfParent<WorkerTask>();
const config = loadConfig({
  SVC_ENV: 'development',
  SVC_AUTH_MODE: 'dev',
  SVC_LOG_LEVEL: 'warn',
  SVC_DATABASE_URL: url,
});
const db = createPool(url, { max: config.SVC_DATABASE_POOL_SIZE, applicationName: 'bench' });
const log = createLogger({ level: 'warn', clock: Date.now, destination: process.stderr });
const parts = { config, db, clock: Date.now, log, metrics: createMetrics(), doorbell: null };
const stop = new AbortController();
const worker = createWorker({
  ...parts,
  owner: newId('wrk', Date.now()),
  handlers: scanHandlers({
    ...parts,
    analysis: untouched,
    provider: mockAiProvider,
    connectorFor: refuse('a connector'),
  }),
  concurrency: config.SVC_WORKER_CONCURRENCY,
  leaseBatch: config.SVC_WORKER_LEASE_BATCH,
});
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
await session.post('Profiler.start');
process.on('message', async () => {
  const { profile } = await session.post('Profiler.stop');
  const shares: WorkerShares = sharesOf(profile);
  process.send?.(shares);
  await session.post('Profiler.start');
});
announce({}, async () => {
  stop.abort();
  await worker.idle();
  await db.close();
});
await runWorkerLoop({ worker, sweep: () => worker.sweep(), log, tickMs: TICK_MS, signal: stop.signal });
