import { app } from '@azure/functions';
import { scheduleOf } from '../../core/config.ts';
import { runtime } from '../../core/runtime.ts';
import { startScheduledDeltas } from '../../core/sources/scheduled-deltas.ts';

const schedule = scheduleOf('SVC_DELTA_SCHEDULE');

/** Off unless a schedule is set: some sources never notify, and where all do it would only cost. */
if (schedule !== undefined) {
  app.timer('start-deltas', {
    schedule,
    handler: async () => {
      const parts = await runtime();
      await startScheduledDeltas(parts, parts.stopping);
    },
  });
}
