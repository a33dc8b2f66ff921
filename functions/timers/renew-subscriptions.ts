import { app } from '@azure/functions';
import { renewSubscriptions } from '../../core/notifications/renew.ts';
import { runtime } from '../../core/runtime.ts';

const BUDGET_MS = 120_000;

/** Renews what has less than 20 minutes left: four rounds before a subscription ends. */
app.timer('renew-subscriptions', {
  schedule: '15 */5 * * * *',
  runOnStartup: true,
  handler: async () => {
    const parts = await runtime();
    await renewSubscriptions(parts, { signal: parts.stopping, budgetMs: BUDGET_MS });
  },
});
