import { app } from '@azure/functions';
import { closeRuntime, startRuntime } from '../core/runtime.ts';

/** Before the first invocation: the schema is brought up to date, and what the configuration lacks is said. */
app.hook.appStart(async () => {
  await startRuntime();
});

/** When the host ends the process: stop leasing, hand back what was not begun, close threads and connections. */
app.hook.appTerminate(async () => {
  await closeRuntime();
});
