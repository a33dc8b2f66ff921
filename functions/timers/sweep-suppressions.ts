import { app } from '@azure/functions';
import { runtime } from '../../core/runtime.ts';
import { sweepSuppressions } from '../../core/suppressions/sweep-suppressions.ts';

/** Ends suppressions whose time is over, and has their assets scored again. */
app.timer('sweep-suppressions', {
  schedule: '20 * * * * *',
  handler: async () => {
    const parts = await runtime();
    const ended = await sweepSuppressions(parts, parts.stopping);
    if (ended > 0) await parts.doorbell?.ring(1, 0);
  },
});
