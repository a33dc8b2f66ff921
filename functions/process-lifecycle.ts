import { app } from '@azure/functions';
import { closeRuntime } from '../core/runtime.ts';

/** When the host ends the process: stop leasing, hand back what was not begun, close threads and connections. */
app.hook.appTerminate(async () => {
  await closeRuntime();
});
