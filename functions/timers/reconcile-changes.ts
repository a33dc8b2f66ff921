import { app } from '@azure/functions';
import { followUp } from '../../core/notifications/follow-up.ts';
import { runtime } from '../../core/runtime.ts';

/**
 * Processes notifications that waited for the end of a scan: after a crash, a cancelled scan, or one that ended when
 * it was resumed.
 */
app.timer('reconcile-changes', {
  schedule: '*/10 * * * * *',
  handler: async () => followUp(await runtime()),
});
