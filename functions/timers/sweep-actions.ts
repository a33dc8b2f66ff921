import { app } from '@azure/functions';
import { sweepActions } from '../../core/actions/sweep-actions.ts';
import { runtime } from '../../core/runtime.ts';

const BUDGET_MS = 45_000;

/**
 * Continues approved actions that no process executes: postponed ones, accepted writes, and those of a process that died.
 * Its period is the longest delay that it adds to the 10 seconds before the first look at an accepted write.
 */
app.timer('sweep-actions', {
  schedule: '*/5 * * * * *',
  handler: async () => {
    const parts = await runtime();
    await sweepActions(parts, { signal: parts.stopping, budgetMs: BUDGET_MS });
  },
});
