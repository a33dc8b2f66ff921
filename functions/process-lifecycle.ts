import { app } from '@azure/functions';
import { closeRuntime, startRuntime } from '../core/runtime.ts';

/**
 * Before the first invocation: the schema is brought up to date, what the configuration lacks is said, and the process
 * joins the fleet.
 */
app.hook.appStart(async () => {
  await startRuntime();
});

/** When the host ends the process: stop leasing, hand back, leave the fleet, close threads and connections. */
app.hook.appTerminate(async () => {
  await closeRuntime();
});
