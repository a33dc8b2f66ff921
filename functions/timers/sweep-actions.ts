import { app } from '@azure/functions';
import { sweepActions } from '../../core/actions/sweep-actions.ts';
import { runtime } from '../../core/runtime.ts';

const BUDGET_MS = 45_000;

/** Continues approved actions that no process executes: postponed ones, and those of a process that died. */
app.timer('sweep-actions', {
  schedule: '*/20 * * * * *',
  handler: async () => {
    const parts = await runtime();
    await sweepActions(parts, { signal: parts.stopping, budgetMs: BUDGET_MS });
  },
});
