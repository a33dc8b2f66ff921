import { app } from '@azure/functions';
import { sweepCancelled } from '../../core/campaigns/campaign-control.sql.ts';
import { runtime } from '../../core/runtime.ts';

const BUDGET_MS = 20_000;

/** Marks the remaining units of cancelled campaigns. They already count as cancelled. */
app.timer('sweep-cancelled', {
  schedule: '*/10 * * * * *',
  handler: async () => {
    const { db, clock, stopping } = await runtime();
    await sweepCancelled(db, { clock, budgetMs: BUDGET_MS, signal: stopping });
  },
});
