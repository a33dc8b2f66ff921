import { app } from '@azure/functions';
import { expireSubscriptions } from '../../core/notifications/expire.ts';
import { runtime } from '../../core/runtime.ts';

const BUDGET_MS = 30_000;

/** Ends subscriptions that could not be renewed. */
app.timer('expire-subscriptions', {
  schedule: '45 * * * * *',
  handler: async () => {
    const parts = await runtime();
    await expireSubscriptions(parts, { signal: parts.stopping, budgetMs: BUDGET_MS });
  },
});
