import { app } from '@azure/functions';
import { sweepRetention } from '../../core/retention/sweep.ts';
import { runtime } from '../../core/runtime.ts';

const BUDGET_MS = 60_000;

/** Removes what was kept for as long as the settings say. */
app.timer('sweep-retention', {
  schedule: '25 */10 * * * *',
  handler: async () => {
    const parts = await runtime();
    await sweepRetention(parts, { signal: parts.stopping, budgetMs: BUDGET_MS });
  },
});
