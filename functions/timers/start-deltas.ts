import { app } from '@azure/functions';
import { startScheduledDeltas } from '../../core/campaigns/scheduled-deltas.ts';
import { scheduleOf } from '../../core/config/config.ts';
import { runtime } from '../../core/runtime.ts';

const schedule = scheduleOf('SVC_DELTA_SCHEDULE');

/** Off unless a schedule is set. It is needed for sources that never notify, and is only a cost for others. */
if (schedule !== undefined) {
  app.timer('start-deltas', {
    schedule,
    handler: async () => {
      const parts = await runtime();
      await startScheduledDeltas(parts, parts.stopping);
    },
  });
}
