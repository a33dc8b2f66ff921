import { app } from '@azure/functions';
import { INVENTORY_SCHEDULE, startScheduledInventories } from '../../core/campaigns/scheduled-inventories.ts';
import { runtime } from '../../core/runtime.ts';

/** `SVC_INVENTORY_MAX_AGE_DAYS` says when one is due. */
app.timer('start-inventories', {
  schedule: INVENTORY_SCHEDULE,
  handler: async () => {
    const parts = await runtime();
    await startScheduledInventories(parts, parts.stopping);
  },
});
