import { app } from '@azure/functions';
import { renewSubscriptions } from '../../core/notifications/renew.ts';
import { resubscribeAll } from '../../core/notifications/resubscribe.ts';
import { runtime } from '../../core/runtime.ts';

const BUDGET_MS = 120_000;

/**
 * Renews subscriptions that expire in less than 20 minutes, so that four attempts fit before the expiry, and those that
 * the source wants authorized again. Then registers lost ones again.
 */
app.timer('renew-subscriptions', {
  schedule: '15 */5 * * * *',
  runOnStartup: true,
  handler: async () => {
    const parts = await runtime();
    const options = { signal: parts.stopping, budgetMs: BUDGET_MS };
    await renewSubscriptions(parts, options);
    await resubscribeAll(parts, options);
  },
});
