import { app } from '@azure/functions';
import { runtime } from '../../core/runtime.ts';

/** Rings for due work whose doorbell was lost: after a crash, with a full queue, or after an expired lease. */
app.timer('sweep-doorbells', {
  schedule: '*/10 * * * * *',
  runOnStartup: true,
  handler: async () => {
    const { worker } = await runtime();
    await worker.sweep();
  },
});
