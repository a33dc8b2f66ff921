import { app } from '@azure/functions';
import { closeRuntime, startRuntime } from '../core/runtime.ts';

/**
 * Before the first invocation: applies migrations, reports missing configuration, and registers the process with the
 * fleet.
 */
app.hook.appStart(async () => {
  await startRuntime();
});

/**
 * When the host ends the process: stops leasing, returns leased units, leaves the fleet, and closes threads and
 * connections.
 */
app.hook.appTerminate(async () => {
  await closeRuntime();
});
