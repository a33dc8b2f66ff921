import { app } from '@azure/functions';
import { runtime } from '../../core/runtime.ts';
import { sendTelemetry } from '../../core/support/send.ts';

/** Sends telemetry where the terms of the license and a configured address ask for it. */
app.timer('send-telemetry', {
  schedule: '20 41 4 * * *',
  handler: async () => sendTelemetry(await runtime()),
});
