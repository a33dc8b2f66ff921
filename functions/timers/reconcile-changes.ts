import { app } from '@azure/functions';
import { followUp } from '../../core/notifications/follow-up.ts';
import { runtime } from '../../core/runtime.ts';

/** Acts on hints that waited for a scan to end: after a crash, a cancelled scan, or one that ended as it was resumed. */
app.timer('reconcile-changes', {
  schedule: '*/10 * * * * *',
  handler: async () => followUp(await runtime()),
});
