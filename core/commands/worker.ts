import './refuse-old-node.ts';
import { ConfigError } from '../config/config.ts';
import { schemaVersion } from '../db/schema-version.ts';
import { errorFields } from '../observability/error-fields.ts';
import { closeRuntime, type Runtime, runtime } from '../runtime.ts';
import { sweepFleet } from '../work/fleet.ts';
import { runWorkerLoop } from '../work/worker-loop.ts';
import { takeFlags } from './options.ts';
import { stopRequested } from './stop-request.ts';

const USAGE = `npm run worker

Works beside the service on the same database, without HTTP, queue and timers, until it is told to end (Ctrl-C or
SIGTERM). It is configured by the environment as the service is; SVC_WORKER_CONCURRENCY says how much it does at once.`;

/** Asked a second time, it ends as it is: what it held is then taken over. */
const PATIENCE = 2;

/** The standalone worker: leases and runs units like the service's own process, without its queue. */
async function main(): Promise<void> {
  takeFlags(USAGE);
  const stop = stopRequested(PATIENCE);
  const parts = await runtime();
  await refuseUnready(parts);
  const { worker, fleet, config, log, metricsServer, traces, stopping } = parts;
  await traces?.start();
  await fleet.join();
  await metricsServer?.start();
  log.info('worker_started');
  const tickMs = config.SVC_WORKER_TICK_MS;
  void runWorkerLoop({ worker, sweep: () => sweepFleet(parts), log, tickMs, signal: stopping });
  await stop;
  // Waits for the units under way, but not for ever.
  await closeRuntime();
}

/** Throws `CannotStart` where the database is out of reach, or not that of this release. */
async function refuseUnready({ db }: Runtime): Promise<void> {
  const { missing } = await schemaVersion(db).catch((error: unknown) => {
    const { errorClass, errorCode } = errorFields(error);
    throw new CannotStart(
      `The database cannot be reached (${errorCode ?? errorClass}): see SVC_DATABASE_URL.`,
    );
  });
  if (missing > 0)
    throw new CannotStart('The database lacks migrations of this release: run npm run migrate first.');
}

class CannotStart extends Error {}

await main().catch((error: unknown) => {
  // Anything else is a fault of the program and shows its stack.
  console.error(error instanceof CannotStart || error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
});
// A unit that heeds no signal would go on; it was handed back.
process.exit();
