import { app } from '@azure/functions';
import { runSchedules } from '../../core/campaigns/run-schedules.ts';
import { runtime } from '../../core/runtime.ts';

/** Starts the scans that are due by schedules, and notes when active scans rest. */
app.timer('start-scheduled', {
  schedule: '5 * * * * *',
  runOnStartup: true,
  handler: async () => {
    const parts = await runtime();
    await runSchedules(parts, parts.stopping);
  },
});
